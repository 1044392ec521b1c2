import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../../exchange/jobs.js';
import { peakResidentBytes, processUsage, type ProcessUsage } from './process-usage.js';

export interface ServerCommand {
  /** What messages call it. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What it finds in a fresh folder, in which it works; the folder is removed after it. */
  readonly files?: Readonly<Record<string, string>>;
  /** Where it listens, for a program that does not print its URL. */
  readonly port?: number;
  /** Longest wait for the line that tells the address, milliseconds. */
  readonly startMs?: number;
}

/** Flags of Node that `npm start` and the systemd unit give a server, and that a comparison gives both. */
export const START_FLAGS = ['--min-semi-space-size=16', '--max-semi-space-size=32'] as const;

const URL_LINE = /https?:\/\/([\d.]+):(\d+)/;
const ROLE_LINE = /^Parley (is listening|follows|stands by|waits) /gm;
/** Output kept for messages about a server that failed. */
const KEPT_OUTPUT = 8_000;
/** Longer than what of a line tells a role. */
const KEPT_LINE = 40;
const STOP_MS = 15_000;
/** Between two looks at a port. */
const LOOK_MS = 10;

/** Servers that must not outlive the bench. */
const running = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A server under test: a process of its own. */
export class ServerProcess {
  private output = '';
  private exited = false;
  /** The role that it told last; many lines of its log may have come since. */
  private said: string | undefined;

  private constructor(
    private readonly name: string,
    private readonly child: ChildProcess,
  ) {}

  /** Resolved address; set once it listens. */
  address: Address = { host: '127.0.0.1', port: 0 };

  /** Starts a server and waits until it prints its URL. @throws Error with its output when it ends */
  static async start(command: ServerCommand): Promise<ServerProcess> {
    const folder = command.files ? folderWith(command.files) : undefined;
    const child = spawn(command.command, command.args, {
      env: { ...process.env, ...command.env },
      cwd: folder ?? command.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    if (folder) child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    const server = new ServerProcess(command.name, child);
    if (command.port !== undefined) server.answering(command.port);
    await server.listening(command.startMs ?? 60_000);
    return server;
  }

  get pid(): number {
    return this.child.pid!;
  }

  usage(): ProcessUsage {
    if (this.exited) throw new Error(`${this.name} ended: ${this.output}`);
    return processUsage(this.child.pid!);
  }

  /** Largest resident set so far, bytes. */
  peakResidentBytes(): number {
    return peakResidentBytes(this.child.pid!);
  }

  /** Ends it in an orderly way; kills it when it does not. */
  async stop(): Promise<void> {
    if (this.exited) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  /** What it said last of its part: it leads the organization, follows, or cannot serve. */
  get role(): 'leads' | 'follows' | 'waits' {
    if (this.said === 'is listening') return 'leads';
    return this.said === 'follows' ? 'follows' : 'waits';
  }

  get running(): boolean {
    return !this.exited;
  }

  /** Stops it where it is, as a machine does that is suspended. */
  pause(): void {
    this.child.kill('SIGSTOP');
  }

  /** Lets it go on. */
  resume(): void {
    this.child.kill('SIGCONT');
  }

  /** Ends it as a crash would. */
  async kill(): Promise<void> {
    if (this.exited) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  /** Looks whether it listens at a port, and says so for it. */
  private answering(port: number): void {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      this.child.stdout?.emit('data', Buffer.from(`listening on http://127.0.0.1:${port}\n`));
    });
    socket.on('error', () => {
      if (!this.exited) setTimeout(() => this.answering(port), LOOK_MS);
    });
  }

  private listening(startMs: number): Promise<void> {
    const { child } = this;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${this.name} did not listen within ${startMs} ms: ${this.output}`));
      }, startMs);
      const read = (chunk: Buffer): void => {
        // The line may have begun in the chunk before.
        const text = this.output.slice(-KEPT_LINE) + chunk.toString();
        this.said = [...text.matchAll(ROLE_LINE)].at(-1)?.[1] ?? this.said;
        this.output = (this.output + chunk.toString()).slice(-KEPT_OUTPUT);
        const found = this.address.port === 0 ? URL_LINE.exec(this.output) : null;
        if (!found) return;
        this.address = { host: found[1]!, port: Number(found[2]) };
        clearTimeout(timer);
        resolve();
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.on('error', reject);
      child.on('exit', (code, signal) => {
        this.exited = true;
        running.delete(child);
        clearTimeout(timer);
        reject(new Error(`${this.name} ended (${signal ?? code}): ${this.output}`));
      });
    });
  }
}
