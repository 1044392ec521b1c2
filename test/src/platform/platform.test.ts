import t from 'tap';
import { DeadlineWheel } from '../../../actors/deadline-wheel.js';
import { Journal } from '../../../src/journal/journal.js';
import { replacePlatform } from '../../../src/platform/bound.js';
import { steadyClock, systemClock } from '../../../src/platform/clock.js';
import { makeFolder, replaceFile } from '../../../src/platform/durable-files.js';
import { readFile } from '../../../src/platform/files.js';
import { startThread } from '../../../src/platform/threads.js';
import { wallTime } from '../../../src/platform/time.js';
import { pause, timeoutSignal } from '../../../src/platform/timers.js';
import { newToken } from '../../../src/services/auth/random-token.js';
import { post } from '../../../src/services/json-request.js';
import { createMemory, createMemoryStore } from '../../../src/store/memory.js';
import { inBackground } from '../../../src/turns/background.js';
import { mapInStretches } from '../../../src/turns/event-loop-yield.js';
import { storeWith } from '../../fixtures/gated-store.js';
import { VirtualPlatform } from '../../fixtures/virtual-platform.js';

const START = Date.UTC(2030, 0, 1);
const DAY_MS = 86_400_000;

/** Parts of the product at work for a day, each line with the milliseconds since its beginning. */
async function day(seed: number): Promise<string[]> {
  const network = {
    fetch: async () => {
      await pause(30);
      return Response.json({ id: 7 });
    },
  };
  const platform = new VirtualPlatform(seed, START, network);
  const trace: string[] = [];
  const note = (what: string): void => void trace.push(`${wallTime() - START} ${what}`);
  const restore = replacePlatform(platform);
  try {
    inBackground(
      () => Promise.all([deadlines(note), journal(note), stretches(platform, note), others(note)]),
      (error) => note(String(error)),
    );
    await platform.run(DAY_MS);
  } finally {
    restore();
  }
  return trace;
}

type Note = (what: string) => void;

async function deadlines(note: Note): Promise<void> {
  const onError = (error: unknown): void => note(String(error));
  new DeadlineWheel(systemClock, { onError }).arm('k', START + DAY_MS / 2, () => note('noon'));
  const steady = new DeadlineWheel(steadyClock, { onError });
  steady.arm('k', steadyClock.now() + 45_000, () => note('a heartbeat'));
}

/** A journal whose store refuses two commits, and is then tried again and again. */
async function journal(note: Note): Promise<void> {
  const inner = createMemoryStore(createMemory());
  const lease = (await inner.acquireLease('test', 1000))!;
  let refusals = 2;
  const store = storeWith(inner, {
    commit: async (held, commit) => {
      if (refusals-- > 0) throw new Error('the disk is full');
      return inner.commit(held, commit);
    },
  });
  const opened = await Journal.open({
    store,
    lease,
    now: systemClock.now,
    steady: steadyClock.now,
    retryMs: 200,
    listener: {
      durable: ({ position }) => note(`entry ${position.seq} is durable`),
      flushed: () => undefined,
      takenBack: () => undefined,
      withheld: () => undefined,
      applyAgain: () => undefined,
      storeFailed: () => note('the store failed'),
      storeRecovered: () => note('the store recovered'),
      deposed: () => undefined,
    },
  });
  opened.append({ writes: [], events: [], due: [] });
  await opened.barrier().catch((error: Error) => note(error.message));
}

/** Two users' long work, each piece of which takes 3 ms. */
async function stretches(platform: VirtualPlatform, note: Note): Promise<void> {
  await pause(1000);
  const work = async (user: number): Promise<void> => {
    await mapInStretches(
      [1, 2, 3, 4, 5],
      (piece) => {
        platform.spend(3);
        note(`piece ${piece} of user ${user}`);
      },
      user,
    );
  };
  await Promise.all([work(1), work(2)]);
}

async function others(note: Note): Promise<void> {
  note((await post('https://push.example/', {}, '')).status.toString());
  await makeFolder('/var/lib/parley');
  await replaceFile('/var/lib/parley/key', Buffer.from('kept'));
  note(`the file says ${(await readFile('/var/lib/parley/key')).toString()}`);
  note(`token ${newToken()}`);
  await pause(DAY_MS, undefined, { signal: timeoutSignal(5000) }).catch((error: Error) =>
    note(error.name),
  );
}

void t.test('a day of the product on another platform takes no time, and no machine', async (t) => {
  const trace = await day(1);
  t.strictSame(trace, [
    '0 the store failed',
    '0 The store is not available',
    '30 200',
    '30 the file says kept',
    '30 token xo4Eo0Bsl9Y8-9xTrog3GhJR',
    // Tried again after 200 ms and after 400 more.
    '600 the store recovered',
    '600 entry 1 is durable',
    // Two users by turns.
    '1003 piece 1 of user 1',
    '1006 piece 2 of user 1',
    '1009 piece 3 of user 1',
    '1012 piece 4 of user 1',
    '1015 piece 1 of user 2',
    '1018 piece 5 of user 1',
    '1021 piece 2 of user 2',
    '1024 piece 3 of user 2',
    '1027 piece 4 of user 2',
    '1030 piece 5 of user 2',
    '5030 AbortError',
    '45000 a heartbeat',
    '43200000 noon',
  ]);
});

void t.test('the same seed gives the same day, another seed other tokens', async (t) => {
  const [first, second, other] = [await day(1), await day(1), await day(2)];
  t.strictSame(second, first);
  t.strictNotSame(other, first);
  t.strictSame(
    other.filter((line) => !line.includes('token')),
    first.filter((line) => !line.includes('token')),
  );
});

void t.test('what a platform lacks is named, and the former one comes back', async (t) => {
  const restore = replacePlatform(new VirtualPlatform(1, START));
  t.equal(wallTime(), START);
  t.throws(() => startThread(new URL('file:///x.js'), {}), {
    message: 'This platform has no threads.startThread',
  });
  await t.rejects(post('https://push.example/', {}, ''), {
    message: 'This platform has no network.fetch',
  });
  restore();
  t.ok(Math.abs(wallTime() - Date.now()) < 1000);
});
