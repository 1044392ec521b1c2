import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { monotonicTime } from '../../platform/time.js';
import { queueMicrotask } from '../../platform/timers.js';
import { connectionTurns } from '../../turns/connection-turns.js';

/**
 * Lines that are passed on at once: as many commands take half a millisecond. The library answers a hundred before it lets
 * others work, so more of each of hundreds of clients would be answered in one round.
 */
const LINES = 64;
/** How long the lines of a client are passed on in a turn, milliseconds; mails have lines that nobody answers. */
const TURN_MS = 0.5;
const LINE_END = 0x0a;

/**
 * LineTurns passes on what a client sends, some lines at a time and some time at its turn ({@link connectionTurns}), and holds the client back
 * meanwhile. The replies to what is passed on together go out together.
 */
export class LineTurns extends Duplex {
  /** What is not passed on yet, and what to call then. */
  private rest: Buffer = Buffer.alloc(0);
  private passed: () => void = () => undefined;
  /** The reader wants more. */
  private isWanted = false;
  private isWaiting = false;

  private constructor(private readonly socket: Socket) {
    // Nothing is read ahead: a reader that works again would get it without a turn.
    super({ readableHighWaterMark: 0 });
  }

  /** Whoever reads the socket by `pipe`, which is to come, reads it in turns. */
  static between(socket: Socket): void {
    const pipe = socket.pipe.bind(socket);
    socket.pipe = (reader, options) => {
      const turns = new LineTurns(socket);
      socket.once('close', () => turns.destroy());
      pipe(turns, options);
      return turns.pipe(reader, options);
    };
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, passed: () => void): void {
    this.rest = chunk;
    this.passed = passed;
    this.proceed();
  }

  override _read(): void {
    this.isWanted = true;
    this.proceed();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }

  private proceed(): void {
    if (!this.isWanted || this.isWaiting || this.rest.length === 0) return;
    this.isWaiting = true;
    // Never at once: what a command takes is not known, and only turns end with their time.
    connectionTurns.wait(this.rest.length, this.socket.remoteAddress ?? null, () => {
      this.isWaiting = false;
      this.isWanted = false;
      this.pass();
      if (this.rest.length === 0) this.passed();
      else this.proceed();
    });
  }

  private pass(): void {
    const { socket } = this;
    const end = monotonicTime() + TURN_MS;
    socket.cork();
    queueMicrotask(() => socket.uncork());
    do {
      if (this.destroyed || socket.destroyed) return;
      const next = this.rest.subarray(0, endOfLines(this.rest));
      this.rest = this.rest.subarray(next.length);
      this.push(next);
      // A reader that is behind has the rest at a later turn.
    } while (
      this.rest.length > 0 &&
      !this.isPaused() &&
      this.readableLength === 0 &&
      monotonicTime() < end
    );
  }
}

/** Where the first lines end. */
function endOfLines(bytes: Buffer): number {
  let end = 0;
  for (let lines = 0; lines < LINES; lines++) {
    const next = bytes.indexOf(LINE_END, end);
    if (next < 0) return bytes.length;
    end = next + 1;
  }
  return end;
}
