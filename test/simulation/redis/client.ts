import { ErrorReply } from 'redis';
import type { NodeClient, Send } from '../../../src/store/redis/server-client.js';
import type { SimProcess } from '../node/process.js';
import type { End } from '../world/network.js';
import { WATCH, WATCH_PORT } from './replicated-store.js';
import { scriptCall, STORE, STORE_PORT, type Answer, type Request } from './server.js';

/** What the entry has that begins a history. */
const BEGINS = '["history","history","set"';
const JOURNAL = /@journal$/;

/** What the scripts answer that commit, or tell what became of a commit. */
const COMMITTED = new Set<unknown>(['OK', 'LANDED']);

interface Waiting {
  readonly command: readonly string[];
  /** The newest position that is durable where the reply says that a commit is; 0 for what commits nothing. */
  readonly commits: number;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * In place of the client library: connects once to the server of the simulation, as `OpenClient` says. Everything
 * above it, from lost replies to fencing, is the product's own. Where Sentinels tell of a new master, it ends, and what waits
 * for a reply gets none.
 */
export function openClient(process: SimProcess, ended: AbortSignal): Promise<NodeClient> {
  const { network, name, replicated } = process.machine;
  const knowledge = new Knowledge(process);
  const waiting = new Map<number, Waiting>();
  let numbers = 0;
  let isOver = false;
  let end: End;
  return new Promise((resolve, reject) => {
    const refuse = (reason: string): void => {
      const refused = [...waiting.values()];
      waiting.clear();
      for (const one of refused) one.reject(new Error(reason));
    };
    const over = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      knowledge.forget();
      process.ends.delete(end);
      stopHearing();
      reject(new Error(reason));
      refuse(reason);
    };
    const dial = (): void => {
      const dialled = network.connect(name, replicated?.hostFor(name) ?? STORE, STORE_PORT);
      end = dialled;
      process.ends.add(dialled);
      dialled.run = (work, isBehind) => process.arrive(work, isBehind);
      dialled.onClose = (_how, code) => {
        if (end === dialled) over(code);
      };
      dialled.onOpen = () => {
        if (!isOver) resolve(client);
      };
      dialled.onData = (payload) => {
        const { number, reply, error } = payload as Answer;
        const one = waiting.get(number);
        if (!one) return;
        waiting.delete(number);
        knowledge.hears(one.command, one.commits, reply);
        if (error === undefined) one.resolve(reply);
        else one.reject(new ErrorReply(error));
      };
    };
    const ask = (command: readonly string[], commits: number): Promise<unknown> =>
      new Promise((answered, refused) => {
        const number = ++numbers;
        waiting.set(number, { command, commits, resolve: answered, reject: refused });
        process.send(() => end.send({ number, command: [...command] } satisfies Request));
      });
    const send: Send = (command, behind) => {
      knowledge.asks(command);
      if (isOver) return Promise.reject(new Error('The client is closed'));
      const commits = commitIn(process, command);
      if (behind === undefined) return ask(command, commits);
      const asked = [command, ...behind].map((one) => ask(one, 0));
      return Promise.all(asked).then((replies) => {
        // Whoever waits for replicas knows of a commit when they have it, in their files where that is waited for, too.
        const last = behind.findLastIndex(([name]) => name!.startsWith('WAIT'));
        if (areEnough(behind[last]!, replies[last + 1]))
          knowledge.hears(command, commits, replies[0]);
        return replies;
      });
    };
    const change = (): void => {
      if (!replicated?.plan.changes || isOver || process.isDead) return;
      process.arrive(() => {
        if (isOver) return;
        process.send(() => end.close());
        over('The master is another');
      });
    };
    const client: NodeClient = {
      send,
      ...(replicated?.plan.changes && {
        isConfirmed: async () => (await askedMaster(process)) === end.peer && !isOver,
      }),
    };
    const stopHearing = replicated?.onHeard(name, change) ?? (() => undefined);
    if (replicated) process.atDeath.push(stopHearing);
    dial();
    const abort = (): void => {
      knowledge.take();
      process.send(() => end.close());
      over('The connection was ended');
    };
    ended.addEventListener('abort', abort);
    if (ended.aborted) abort();
  });
}

/** How long those who promote replicas have to answer, milliseconds. */
const CONFIRM_MS = 1000;

/** The master by the word of those who promote replicas; null where they do not answer. */
function askedMaster(process: SimProcess): Promise<string | null> {
  const { network, name } = process.machine;
  return new Promise((resolve) => {
    const asked = network.connect(name, WATCH, WATCH_PORT);
    const done = (master: string | null): void => {
      if (!process.ends.delete(asked)) return;
      process.send(() => asked.close());
      resolve(master);
    };
    process.ends.add(asked);
    asked.run = (work, isBehind) => process.arrive(work, isBehind);
    asked.onOpen = () => process.send(() => asked.send('who'));
    asked.onData = (payload) => done(payload as string);
    asked.onClose = () => done(null);
    network.scheduler.in(CONFIRM_MS, () => process.arrive(() => done(null)));
  });
}

/** What a process knows of the store by what it reads over a connection, and by what it does then. */
class Knowledge {
  /** Where another history begins in what was read last. */
  private read = 0;
  /** The same with the reply behind: a follower takes it, and loads again, unless it finds what it had before to be gone. */
  private begins = 0;

  constructor(private readonly process: SimProcess) {}

  /** It has taken what it read last. */
  take(): void {
    this.know(this.begins);
    this.begins = 0;
  }

  /** What it read last came to nothing. */
  forget(): void {
    this.begins = 0;
  }

  /** What it reads on behind it has taken. A reply alone is not: the look that it belongs to may be made again. */
  asks(command: readonly string[]): void {
    if (follows(command)) this.know(Number(command.at(-1)));
    if (command[0] !== 'XRANGE') this.take();
  }

  hears(command: readonly string[], commits: number, reply: unknown): void {
    // What it reads of an entry that it has: nothing where that is gone.
    if (follows(command)) this.read = historyIn(reply);
    else if (command[0] !== 'XRANGE')
      this.begins = this.read <= durableIn(command, reply) ? this.read : 0;
    else if ((reply as unknown[] | undefined)?.length === 0) this.begins = 0;
    if (COMMITTED.has(reply)) this.know(commits);
  }

  private know(position: number): void {
    this.process.known = Math.max(this.process.known, position);
  }
}

/** Whether a command reads what is added to the journal. */
function follows(command: readonly string[]): boolean {
  return command[0] === 'XREAD' && JOURNAL.test(command.at(-2)!);
}

/** Up to where a look of a follower takes what it has read: as far as replicas have it, where the writer waits for them. */
function durableIn([name, ...asked]: readonly string[], reply: unknown): number {
  const at = asked.indexOf('replicas') - 1;
  if (name !== 'HMGET' || at < 0) return Infinity;
  const marks = (reply ?? []) as (string | null)[];
  return typeof marks[at] === 'string' ? Number(marks[at + 1] ?? 0) : Infinity;
}

/** Whether as many replicas have something as WAIT or WAITAOF was to wait for. */
function areEnough(wait: readonly string[], reply: unknown): boolean {
  return Number([reply].flat().at(-1)) >= Number(wait.at(-2));
}

/** Position of the entry that begins another history in what XREAD answers; 0 where there is none. */
function historyIn(reply: unknown): number {
  const [[, entries = []] = []] = (reply ?? []) as [string, [string, string[]][]][];
  const begins = entries.find(([, fields]) => fields.some((text) => text.includes(BEGINS)));
  return Number(begins?.[0].split('-', 1)[0] ?? 0);
}

/** The newest position of what a command commits, or settles; 0 for another command. */
function commitIn(process: SimProcess, command: readonly string[]): number {
  const call = scriptCall(command);
  if (call?.name === 'settle') return process.attempted;
  if (call?.name !== 'commit') return 0;
  // Four arguments say who commits, and five how much.
  const entries = Number(call.args[4]);
  return (process.attempted = entries > 0 ? Number(call.args[7 + 2 * entries]) : 0);
}
