import { ErrorReply } from 'redis';
import type { Send } from '../../../src/store/redis/clients.js';
import type { SimProcess } from '../node/process.js';
import { scriptCall, STORE, STORE_PORT, type Answer, type Request } from './server.js';

/** What the entry has that begins a history. */
const BEGINS = '["history","history","set"';

/** What the scripts answer that commit, or tell what became of a commit. */
const COMMITTED = new Set<unknown>(['OK', 'LANDED']);

interface Waiting {
  /** Whether it reads what is added to the journal. */
  readonly follows: boolean;
  /** Whether it reads what is there in the place of an entry that it has. */
  readonly compares: boolean;
  /** The newest position that is durable where the reply says that a commit is; 0 for what commits nothing. */
  readonly commits: number;
  readonly resolve: (reply: unknown) => void;
  readonly reject: (error: Error) => void;
}

/**
 * In place of the client library: connects once to the server of the simulation, as `openNodeClient` says. Everything
 * above it, from lost replies to fencing, is the product's own.
 */
export function openClient(process: SimProcess, ended: AbortSignal): Promise<Send> {
  const { network, name } = process.machine;
  const end = network.connect(name, STORE, STORE_PORT);
  const waiting = new Map<number, Waiting>();
  let numbers = 0;
  /** Where another history begins in what was read last. */
  let read = 0;
  /** The same with the reply behind: a follower takes it, and loads again, unless it finds what it had before to be gone. */
  let begins = 0;
  const take = (): void => {
    process.known = Math.max(process.known, begins);
    begins = 0;
  };
  let isOver = false;
  process.ends.add(end);
  end.run = (work, isBehind) => process.arrive(work, isBehind);
  return new Promise((resolve, reject) => {
    const over = (reason: string): void => {
      if (isOver) return;
      isOver = true;
      begins = 0;
      process.ends.delete(end);
      reject(new Error(reason));
      for (const one of waiting.values()) one.reject(new Error(reason));
      waiting.clear();
    };
    end.onClose = (_how, code) => over(code);
    end.onData = (payload) => {
      const { number, reply, error } = payload as Answer;
      const one = waiting.get(number);
      waiting.delete(number);
      if (one?.follows) read = historyIn(reply);
      else if (one && !one.compares) begins = read;
      else if (one && (reply as unknown[] | undefined)?.length === 0) begins = 0;
      if (one && COMMITTED.has(reply)) process.known = Math.max(process.known, one.commits);
      if (error === undefined) one?.resolve(reply);
      else one?.reject(new ErrorReply(error));
    };
    end.onOpen = () => {
      if (!isOver) resolve(send);
    };
    const send: Send = (command) =>
      new Promise((answered, refused) => {
        // What it reads on behind it has taken. A reply alone is not: the look that it belongs to may be made again.
        if (command[0] === 'XREAD') process.known = Math.max(process.known, Number(command.at(-1)));
        if (isOver) {
          refused(new Error('The client is closed'));
          return;
        }
        const compares = command[0] === 'XRANGE';
        if (!compares) take();
        const number = ++numbers;
        waiting.set(number, {
          follows: command[0] === 'XREAD',
          compares,
          commits: commitIn(process, command),
          resolve: answered,
          reject: refused,
        });
        process.send(() => end.send({ number, command: [...command] } satisfies Request));
      });
    const abort = (): void => {
      take();
      process.send(() => end.close());
      over('The connection was ended');
    };
    ended.addEventListener('abort', abort);
    if (ended.aborted) abort();
  });
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
