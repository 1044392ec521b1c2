import t from 'tap';
import { replacePlatform } from '../../../../src/platform/bound.js';
import { monotonicTime } from '../../../../src/platform/time.js';
import { setTimeout } from '../../../../src/platform/timers.js';
import { DurablePosition } from '../../../../src/store/embedded/durable-position.js';
import { follow } from '../../../../src/store/follow.js';
import { TrimmedError, type StoredEntry } from '../../../../src/store/port.js';
import { VirtualPlatform } from '../../../fixtures/virtual-platform.js';

/** A journal of this process alone, with how often it was read. */
function journalOf(seqs: readonly number[], trimmed = 0) {
  const looks: number[] = [];
  const durable = new DurablePosition({
    directory: '',
    leader: () => {
      looks.push(monotonicTime());
      return null;
    },
    newest: () => 0,
    flush: () => Promise.resolve(),
  });
  const reads: number[] = [];
  const journal = {
    hasAfter: (position: number) => position < durable.position,
    read: (after: number): readonly StoredEntry[] => {
      reads.push(after);
      const found = seqs.filter((seq) => seq > after && seq <= durable.position);
      return found.map((seq) => ({ seq, text: '' }));
    },
    trimmedThrough: () => trimmed,
  };
  return { durable, journal, looks, reads };
}

void t.test('a follower looks for the leader when the other beats come', async (t) => {
  const platform = new VirtualPlatform(1, 0);
  t.teardown(replacePlatform(platform));
  const { durable, looks } = journalOf([]);
  let leave = (): void => undefined;
  setTimeout(() => (leave = durable.follow()), 130);
  await platform.run(1100);
  t.same(looks, [130, 500, 750, 1000]);
  leave();
  await platform.run(1000);
  t.equal(looks.length, 4, 'and no more once nobody follows');
  t.equal(platform.waitingTimers, 0);
});

void t.test('a follower reads an entry once, and nothing where nothing came', async (t) => {
  const { durable, journal, reads } = journalOf([1, 2, 5]);
  const ending = new AbortController();
  const leave = durable.follow();
  t.teardown(leave);
  const entries = follow(journal, durable.changed, 0, ending.signal);
  const seen: number[] = [];
  for (const position of [1, 2, 5]) {
    const next = entries.next();
    durable.raise(position);
    const result = await next;
    if (result.done !== true) seen.push(...result.value.map(({ seq }) => seq));
  }
  ending.abort();
  t.same(await entries.next(), { value: undefined, done: true });
  t.same(seen, [1, 2, 5]);
  t.same(reads, [0, 1, 2]);
});

void t.test('a follower hears that what it had not read was trimmed', async (t) => {
  for (const [seqs, trimmed] of [
    [[4, 5], 3],
    [[], 5],
  ] as const) {
    const { durable, journal } = journalOf(seqs, trimmed);
    durable.raise(5);
    const entries = follow(journal, durable.changed, 1, new AbortController().signal);
    await t.rejects(entries.next(), TrimmedError);
  }
});
