import { EventEmitter } from 'node:events';
import type { End } from '../world/network.js';
import { fsError, type Disk } from './disk.js';
import type { SimProcess } from './process.js';

/** What a program sets as it connects. */
interface ConnectOptions {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
  readonly onread?: { readonly buffer: Buffer; callback(length: number): boolean };
}

/** The network of the platform, as far as the product uses it: connections, and servers at paths. */
export function networkOf(process: SimProcess, disk: Disk): object {
  return {
    connect: (options: ConnectOptions | number, host?: string) =>
      SimSocket.connect(
        process,
        disk,
        typeof options === 'number' ? { port: options, host } : options,
      ),
    createServer: (accept: (socket: SimSocket) => void) => new SimServer(process, disk, accept),
  };
}

/** A socket of Node, as far as the product uses it. It reads everything at once and writes without end. */
class SimSocket extends EventEmitter {
  destroyed = false;
  readonly writableLength = 0;
  readonly writableNeedDrain = false;
  #corked: Buffer[] | null = null;
  #unread: Buffer[] = [];
  #isPaused: boolean;

  constructor(
    private readonly process: SimProcess,
    private readonly end_: End,
    private readonly onread: ConnectOptions['onread'],
    refusedAs?: string,
  ) {
    super();
    // One that is read by events waits for the first listener.
    this.#isPaused = onread === undefined;
    process.ends.add(end_);
    end_.run = (work) => process.arrive(work);
    end_.onOpen = () => this.emit('connect');
    end_.onData = (payload) => this.#receive(payload as Buffer);
    end_.onClose = (how, code) => this.#closed(how === 'reset' ? (refusedAs ?? code) : null);
    this.on('newListener', (name) => {
      if (name === 'data') process.run(() => this.resume());
    });
  }

  static connect(process: SimProcess, disk: Disk, options: ConnectOptions): SimSocket {
    const { network, name, host: own } = process.machine;
    const { path, port, host = name } = options;
    if (path !== undefined) {
      const file = disk.find(path);
      const end = network.connect(own.name, own.name, socketOf(file?.number ?? 0));
      return new SimSocket(process, end, options.onread, file ? undefined : 'ENOENT');
    }
    const end = network.connect(name, host.startsWith('127.') ? name : host, port!);
    return new SimSocket(process, end, options.onread);
  }

  write(data: string | Buffer): boolean {
    const bytes = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
    if (this.#corked) this.#corked.push(bytes);
    else if (!this.destroyed) this.process.send(() => this.end_.send(bytes));
    return true;
  }

  cork(): void {
    this.#corked ??= [];
  }

  uncork(): void {
    const corked = this.#corked;
    this.#corked = null;
    if (corked && corked.length > 0) this.write(Buffer.concat(corked));
  }

  end(data?: string | Buffer): this {
    if (data !== undefined) this.write(data);
    return this.destroy();
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.process.ends.delete(this.end_);
    this.process.send(() => this.end_.close());
    this.process.run(() => this.emit('close'));
    return this;
  }

  resume(): this {
    this.#isPaused = false;
    for (const bytes of this.#unread.splice(0)) this.#receive(bytes);
    return this;
  }

  pause(): this {
    this.#isPaused = true;
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  #receive(bytes: Buffer): void {
    if (this.destroyed) return;
    if (this.#isPaused) {
      this.#unread.push(bytes);
      return;
    }
    if (!this.onread) {
      this.emit('data', bytes);
      return;
    }
    const { onread } = this;
    const { buffer } = onread;
    for (let at = 0; at < bytes.length && !this.destroyed; at += buffer.length) {
      const length = bytes.copy(buffer, 0, at);
      if (onread.callback(length)) continue;
      this.#isPaused = true;
      const rest = bytes.subarray(at + length);
      if (rest.length > 0) this.#unread.push(rest);
      return;
    }
  }

  #closed(code: string | null): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.process.ends.delete(this.end_);
    if (code !== null) this.emit('error', Object.assign(new Error(code), { code }));
    else this.emit('end');
    this.process.run(() => this.emit('close'));
  }
}

/** Where a socket of a folder listens, whatever its name is by now. */
function socketOf(number: number): string {
  return `socket ${number}`;
}

/** A server at a path of the machine: the socket of a folder, or that for the operator's commands. */
class SimServer extends EventEmitter {
  listening = false;
  maxConnections = 0;
  #stop: () => void = () => undefined;
  #path = '';

  constructor(
    private readonly process: SimProcess,
    private readonly disk: Disk,
    private readonly accept: (socket: SimSocket) => void,
  ) {
    super();
  }

  listen(at: string | { readonly path: string }, listening?: () => void): this {
    const path = typeof at === 'string' ? at : at.path;
    const { network, host } = this.process.machine;
    const accept = (end: End): void => {
      const socket = new SimSocket(this.process, end, undefined);
      this.process.run(() => this.accept(socket));
    };
    let port: string;
    try {
      if (this.disk.find(path)) throw fsError('EADDRINUSE', path);
      port = socketOf(this.process.output(() => this.disk.make(path, false, 0o600)).number);
    } catch (error) {
      this.process.run(() => this.emit('error', error));
      return this;
    }
    network.listen(host.name, port, accept);
    this.#stop = () => network.unlisten(host.name, port, accept);
    this.#path = path;
    this.process.atDeath.push(this.#stop);
    this.listening = true;
    this.process.run(() => listening?.());
    return this;
  }

  close(closed?: () => void): this {
    this.process.send(() => {
      this.#stop();
      if (this.#path !== '' && this.disk.find(this.#path)) this.disk.remove(this.#path);
    });
    this.listening = false;
    this.process.run(() => closed?.());
    return this;
  }

  unref(): this {
    return this;
  }
}
