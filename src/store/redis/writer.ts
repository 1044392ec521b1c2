/**
 * The writer role and its commits.
 *
 * A call of the commit script carries the number of the attempt. When its reply is lost, nobody
 * knows whether it ran, and it may even be on its way still; it is never just sent again. First
 * `settle.lua` decides: the attempt landed, or from now on it cannot land. So what is tried again is
 * known not to be there.
 *
 * Where replicas must have a commit, one that they have not yet is such an attempt, too: `settle.lua` is called until they
 * have what it decided. A server that took the place of the first may lack the attempt, which then is tried again there.
 */
import {
  FencedError,
  LostWritesError,
  StoreReadOnlyError,
  type DocumentKey,
  type Lease,
} from '../port.js';
import { TooFewReplicasError } from '../too-few-replicas.js';
import { inBackground, untold } from '../../turns/background.js';
import { raiseFormat } from './checks.js';
import { isLostReply, mayPass, type Connection } from './connection.js';
import type { DocumentFormat } from './documents.js';
import { encodeCommit, type RedisCommit } from './encoding.js';
import { RedisUnavailableError, UnknownOutcomeError } from './errors.js';
import type { KeySpace } from './keys.js';
import type { Replicas } from './replicas.js';
import { runOnce, runUntilAnswered, runUntilKept, type Answer } from './script-runs.js';
import type { ScriptName, Scripts } from './scripts.js';

/** What writing needs of others. */
export interface WriterParts {
  readonly connection: Connection;
  readonly scripts: Scripts;
  readonly keys: KeySpace;
  readonly format: DocumentFormat;
  /** Whether the store was last written by a build without checksums. */
  readonly isOlder: boolean;
  readonly newSession: () => string;
  /** Those that must have a commit before it is acknowledged; absent: none. */
  readonly replicas?: Replicas | undefined;
}

/** A lease, and the name under which the store has it. */
export interface Session extends Lease {
  readonly session: string;
}

/** An attempt whose outcome is not known; it had the number after the last decided one. */
interface UnknownAttempt {
  readonly commit: RedisCommit;
  /** Whether it was rejected meanwhile. */
  abandoned: boolean;
}

type Outcome = 'landed' | 'absent';

/**
 * The writer role on a Redis server, and commits under it: determines the outcome of those whose answer
 * was lost.
 */
export class RedisWriter {
  #held: Session | null = null;
  /** Name of a lease that was asked for, and perhaps given: no answer came. */
  #asked: string | null = null;
  /** The role was lost because the server forgot commits; it may still have the lease as ours. */
  #forsaken: Session | null = null;
  /** Number of the last attempt that was decided. */
  #attempt = 0;
  #unknown: UnknownAttempt | null = null;
  #settling: Promise<Outcome> | null = null;
  /** Texts by position that landed although their commit was rejected; it may be given again. */
  #landed = new Map<number, string>();
  /** Newest position that was acknowledged, or found when the lease was taken. */
  #seq = 0;
  /** Newest position of which followers were told that replicas have it. */
  #told = 0;

  #isOlder: boolean;

  constructor(private readonly parts: WriterParts) {
    this.#isOlder = parts.isOlder;
  }

  /** Newest position that was acknowledged, or found when the lease was taken. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * A position that the master has, of those that this process committed or found as the writer; 0 where it writes over the
   * connection that it reads from, or not at all.
   */
  get known(): number {
    return this.#held !== null && this.parts.replicas ? this.#seq : 0;
  }

  /** Whether an outcome must be determined before anything is read. */
  get isUnsettled(): boolean {
    return this.#unknown !== null;
  }

  /** Whether an outcome must be determined before any of these documents is read. */
  mayChange(documents: readonly DocumentKey[]): boolean {
    if (this.#unknown === null) return false;
    const { keys } = this.parts;
    const asked = new Set(documents.map(({ collection, id }) => keys.document(collection, id)));
    return this.#unknown.commit.writes.some(({ key }) => asked.has(key));
  }

  /** The error for somebody whose lease is not, or no longer, held here; null for the holder. */
  refusal(lease: Lease): FencedError | null {
    if (this.#held?.token === lease.token) return null;
    return new FencedError(this.#held === null ? 'The lease is not held' : undefined);
  }

  /** @throws StoreReadOnlyError where too few replicas have what the store has: a writer builds on nothing that may be lost */
  async acquire(holder: string, ttlMs: number, insteadOf?: number): Promise<Lease | null> {
    if (this.#held !== null) return null;
    const { lease, writer, replicated } = this.parts.keys;
    const { replicas } = this.parts;
    const other = insteadOf === undefined ? null : await this.#sessionOf(insteadOf);
    // The same name for each attempt: a server that hung may grant an earlier request whose caller has
    // given up, and that grant must not count as another process's.
    const session = (this.#asked ??= this.parts.newSession());
    const reply = await runUntilKept(
      this.parts,
      'acquire-lease',
      [lease, writer, replicated],
      [
        ...[session, holder, ms(ttlMs), other ?? this.#forsaken?.session ?? ''],
        String(replicas?.wanted ?? 0),
      ],
    ).catch((error: unknown) => {
      throw error instanceof TooFewReplicasError ? new StoreReadOnlyError(error.message) : error;
    });
    this.#asked = null;
    if (reply === null) return null;
    const [token, seq] = reply as [number, number];
    this.#held = { token, session };
    this.#forsaken = null;
    this.#attempt = 0;
    this.#unknown = null;
    this.#landed.clear();
    this.#seq = seq;
    this.#told = 0;
    this.#tell();
    return { token };
  }

  /** The session of a lease that runs; null where another has been given since. */
  async #sessionOf(token: number): Promise<string | null> {
    const { connection, keys } = this.parts;
    const command = ['HMGET', keys.writer, 'token', 'session'];
    const found = (await connection.retry(() => connection.send(command))) as (string | null)[];
    return Number(found[0]) === token ? (found[1] ?? null) : null;
  }

  async renew(lease: Lease, ttlMs: number): Promise<void> {
    const { lease: key, writer } = this.parts.keys;
    await this.#asHolder(this.session(lease), 'renew-lease', [key, writer], ms(ttlMs));
    this.#tell();
    this.parts.replicas?.look();
  }

  /** As `renew`, and replicas say that the server which has the lease is the one that they follow. @throws TooFewReplicasError, too */
  async confirm(lease: Lease, ttlMs: number): Promise<void> {
    const { lease: key, writer } = this.parts.keys;
    const named = [key, writer];
    await this.#asHolder(this.session(lease), 'renew-lease', named, ms(ttlMs), runUntilKept);
  }

  /** Does nothing for a lease that is not held. */
  async release(lease: Lease | null): Promise<void> {
    const held = this.#held ?? this.#forsaken;
    if (held === null || (lease !== null && lease.token !== held.token)) return;
    this.#held = null;
    this.#forsaken = null;
    const { keys } = this.parts;
    const named = [keys.lease, keys.writer, keys.freed];
    await runUntilAnswered(this.parts, 'release-lease', named, [held.session]);
    // Should a commit of the session still arrive, it is refused.
    this.#unknown = null;
  }

  async trim(before: number): Promise<void> {
    const { writer, journal } = this.parts.keys;
    const position = Math.max(0, Math.min(Math.floor(before), Number.MAX_SAFE_INTEGER));
    await this.#asHolder(this.session(null), 'trim', [writer, journal], String(position));
  }

  /**
   * Makes a commit durable, all of it or nothing.
   * @param held under which it was given: this process may have lost that one, and have another by now
   * @throws FencedError, LostWritesError, RedisUnavailableError, UnknownOutcomeError, TooFewReplicasError
   */
  async write(commit: RedisCommit, held: Session): Promise<void> {
    this.#assertHeld(held);
    if (this.#unknown !== null) await this.settle();
    const rest = this.#withoutLanded(commit);
    if (rest !== null) await this.#commit(rest, held);
    this.#seq = commit.entries.at(-1)?.seq ?? this.#seq;
    this.#tell();
    if (this.#landed.size > 0) this.#forgetLanded();
  }

  /** Determines the outcome of the commit whose reply was lost. */
  async settle(): Promise<Outcome> {
    this.#settling ??= this.#decide().finally(() => {
      this.#settling = null;
    });
    return this.#settling;
  }

  async #commit(commit: RedisCommit, held: Session): Promise<void> {
    if (this.#isOlder) {
      const { connection, keys, format } = this.parts;
      await raiseFormat(connection, keys, format);
      this.#isOlder = false;
    }
    const pauses = this.parts.connection.pauses();
    for (let whole = false; ;) {
      let answer: Answer;
      try {
        answer = await this.#attemptCommit(commit, whole, held);
      } catch (error) {
        // What became of it is in the store that a later lease of this process finds.
        this.#assertHeld(held);
        if (isLostReply(error) && (await this.#afterLostReply(commit, error)) === 'landed') return;
        if (!mayPass(error)) throw refused(error);
        if (!(await pauses.next())) throw new RedisUnavailableError(error);
        continue;
      }
      this.#assertHeld(held);
      const { reply, isKept } = answer;
      if (reply === 'OK' && isKept) {
        this.#attempt++;
        return;
      }
      if (reply === 'ABSENT') whole = true;
      else if (reply !== 'OK' && reply !== 'STALE') throw this.#verdict(reply, held);
      else if ((await this.#afterLostReply(commit, reply)) === 'landed') return;
    }
  }

  /** @throws FencedError where the lease was lost during a pause: the commit is not one of the next */
  #attemptCommit(commit: RedisCommit, whole: boolean, held: Session): Promise<Answer> {
    const { keys, format } = this.parts;
    this.#assertHeld(held);
    const { token, session } = held;
    const encoded = encodeCommit(keys, commit, whole);
    const fixed = [String(token), session, String(this.#attempt + 1), format];
    return runOnce(
      this.parts,
      commit.frees ? 'commit-freeing' : 'commit',
      [keys.writer, keys.journal, ...encoded.keys],
      fixed.concat(encoded.args),
    );
  }

  async #afterLostReply(commit: RedisCommit, cause: unknown): Promise<Outcome> {
    const unknown: UnknownAttempt = { commit, abandoned: false };
    this.#unknown = unknown;
    try {
      return await this.settle();
    } catch (error) {
      if (error instanceof FencedError) throw error;
      unknown.abandoned = true;
      if (error instanceof TooFewReplicasError) throw error;
      throw new UnknownOutcomeError(cause);
    }
  }

  async #decide(): Promise<Outcome> {
    const unknown = this.#unknown;
    const held = this.#held;
    if (unknown === null || held === null) return 'absent';
    const args = [String(held.token), held.session, String(this.#attempt + 1)];
    const reply = await runUntilKept(this.parts, 'settle', [this.parts.keys.writer], args);
    if (reply !== 'LANDED' && reply !== 'ABSENT') throw this.#verdict(reply, held);
    this.#assertHeld(held);
    this.#unknown = null;
    this.#attempt++;
    if (reply === 'ABSENT') return 'absent';
    if (unknown.abandoned) {
      for (const { seq, text } of unknown.commit.entries) this.#landed.set(seq, text);
    }
    return 'landed';
  }

  /** Leaves out what landed although it was rejected, when the caller gives it again; null: all of it did. */
  #withoutLanded(commit: RedisCommit): RedisCommit | null {
    if (this.#landed.size === 0) return commit;
    const entries = commit.entries.filter(({ seq, text }) => this.#landed.get(seq) !== text);
    return entries.length === 0 && commit.entries.length > 0 ? null : { ...commit, entries };
  }

  #forgetLanded(): void {
    for (const seq of this.#landed.keys()) {
      if (seq <= this.#seq) this.#landed.delete(seq);
    }
  }

  async #asHolder(
    held: Session,
    name: ScriptName,
    keys: string[],
    arg: string,
    run = runUntilAnswered,
  ): Promise<void> {
    const known = [String(held.token), String(this.#attempt)];
    const reply = await run(this.parts, name, keys, [held.session, arg, ...known]);
    if (reply !== 'OK') throw this.#verdict(reply, held);
  }

  /** Tells those who follow how far replicas have the journal. Where that fails, the next renewal of the lease does. */
  #tell(): void {
    const { replicas, scripts, keys } = this.parts;
    const [seq, held] = [this.#seq, this.#held];
    if (!replicas || held === null || seq <= this.#told) return;
    const named = [keys.writer, keys.replicated];
    inBackground(async () => {
      const args = [held.session, String(seq)];
      const reply = await scripts.run(replicas.connection, 'replicated', named, args);
      if (reply === 'OK' && this.#held === held) this.#told = Math.max(this.#told, seq);
    }, untold);
  }

  /** @throws FencedError unless the lease, or any for null, is held here */
  session(lease: Lease | null): Session {
    const held = this.#held;
    if (held === null || (lease !== null && lease.token !== held.token)) {
      throw new FencedError(held === null ? 'The lease is not held' : undefined);
    }
    return held;
  }

  /** @throws FencedError where the lease was lost since, though there may be another */
  #assertHeld(held: Session): void {
    if (this.#held !== held) throw new FencedError();
  }

  /** The error for what a script answered to a holder; after some, its lease is gone. */
  #verdict(reply: unknown, holder: Session): Error {
    if (reply === 'FENCED' || reply === 'LOST') {
      if (this.#held === holder) {
        this.#held = null;
        this.#unknown = null;
        if (reply === 'LOST') this.#forsaken = holder;
      }
      return reply === 'LOST'
        ? new LostWritesError('Redis lost commits that it had acknowledged')
        : new FencedError();
    }
    return new Error(`Redis refused the commit: ${String(reply)}`);
  }
}

function refused(cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`Redis refused the commit: ${reason}`, { cause });
}

function ms(duration: number): string {
  return String(Math.max(1, Math.ceil(duration)));
}
