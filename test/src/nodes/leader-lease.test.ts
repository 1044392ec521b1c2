import t, { type Test } from 'tap';
import { LeaderLease } from '../../../src/nodes/leader-lease.js';
import {
  FencedError,
  LostWritesError,
  StoreReadOnlyError,
  StoreUnavailableError,
  type Store,
} from '../../../src/store/port.js';

/** Short, so that six of it are soon over; long beside what a busy machine keeps a timer waiting. Milliseconds. */
const LEASE_MS = 120;
const DURATIONS = 6;
const HOUR_MS = 3_600_000;

/** A lease of a store whose renewals end as `answer` says. */
async function taken(t: Test, answer: () => Promise<void>, isNewest?: () => boolean) {
  const store: Partial<Store> = {
    leasesExpire: true,
    ...(isNewest ? { isNewest } : {}),
    acquireLease: async () => ({ token: 1 }),
    renewLease: () => answer(),
    releaseLease: async () => undefined,
  };
  let renewals = 0;
  const lost: Error[] = [];
  const lease = (await LeaderLease.take({
    store: store as Store,
    holder: 'test',
    leaseMs: LEASE_MS,
    renewalFailed: () => undefined,
    renewed: () => (renewals += 1),
  }))!;
  lease.onLost((error) => lost.push(error));
  t.teardown(() => lease.release());
  return { lease, lost, renewals: () => renewals };
}

/** Sets the wall clock of this process. */
function stepClock(t: Test, ms: number): void {
  const { now } = Date;
  Date.now = () => now() + ms;
  t.teardown(() => {
    Date.now = now;
  });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

/** Keeps this process from running. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

void t.test('a clock that is set forward costs a renewal, not the lease', async (t) => {
  const { lease, lost, renewals } = await taken(t, async () => undefined);
  t.equal(lease.holds, true);
  stepClock(t, HOUR_MS);
  t.equal(
    lease.holds,
    false,
    'the machine may have slept: nothing is answered before the store was asked',
  );
  await until(() => renewals() > 0 || lost.length > 0);
  t.same(lost, []);
  t.equal(lease.holds, true);
});

void t.test('a clock that is set back does not prolong a lease that is not renewed', async (t) => {
  const { lease } = await taken(t, () => Promise.reject(new Error('away')));
  stepClock(t, -HOUR_MS);
  t.equal(lease.holds, true);
  standStill(2 * LEASE_MS);
  t.equal(lease.holds, false, 'another node may lead by now');
});

void t.test(
  'a process that did not run asks the store whether it still has the lease',
  async (t) => {
    const { lease, lost, renewals } = await taken(t, async () => undefined);
    standStill(2 * DURATIONS * LEASE_MS);
    t.equal(lease.holds, false);
    await until(() => renewals() > 0 || lost.length > 0);
    t.same(lost, []);
    t.equal(lease.holds, true);
  },
);

void t.test(
  'a process that got no processor goes on at once where the store says so at once',
  async (t) => {
    let isNewest = true;
    const { lease } = await taken(
      t,
      async () => undefined,
      () => isNewest,
    );
    standStill(2 * LEASE_MS);
    t.equal(lease.holds, true, 'no request is refused before the timers run');
    isNewest = false;
    t.equal(lease.holds, false, 'another one has taken the role');
  },
);

void t.test('a store that fails when it is asked says nothing', async (t) => {
  const { lease } = await taken(
    t,
    async () => undefined,
    () => {
      throw new Error('away');
    },
  );
  standStill(2 * LEASE_MS);
  t.equal(lease.holds, false);
});

void t.test('who did not run and was replaced has lost it', async (t) => {
  const { lease, lost } = await taken(t, () => Promise.reject(new FencedError()));
  standStill(2 * DURATIONS * LEASE_MS);
  await until(() => lost.length > 0);
  t.match(lost, [{ name: 'FencedError' }]);
  t.equal(lease.holds, false);
});

void t.test('a store that does not answer for six durations has taken it', async (t) => {
  for (const answer of [
    () => Promise.reject(new Error('away')),
    () => new Promise<void>(() => undefined),
  ]) {
    const began = performance.now();
    const { lease, lost } = await taken(t, answer);
    await until(() => lost.length > 0);
    const ms = performance.now() - began;
    t.match(lost, [{ name: 'LeaseExpiredError' }]);
    t.ok(ms > (DURATIONS - 1) * LEASE_MS, `after ${ms} ms`);
    t.equal(lease.holds, false);
  }
});

void t.test(
  'where nobody can write, a lease holds until somebody has taken the role',
  async (t) => {
    let isNewest = true;
    let asked = 0;
    const { lease, lost } = await taken(
      t,
      () => {
        asked += 1;
        return Promise.reject(new StoreReadOnlyError('its file system is read-only'));
      },
      () => isNewest,
    );
    // A renewal is tried three times within a lease.
    await until(() => asked > 2 * 3 * DURATIONS);
    t.same(lost, []);
    t.equal(lease.holds, true);
    isNewest = false;
    t.equal(lease.holds, false, 'asked at each request');
  },
);

void t.test('a lease that the store does not confirm is lost', async (t) => {
  let answer: Error | null = null;
  const { lease, lost } = await taken(t, async () => {
    if (answer) throw answer;
  });
  await lease.confirm();
  answer = new StoreReadOnlyError('the disk is full');
  await lease.confirm();
  answer = new StoreUnavailableError('away', null);
  await t.rejects(lease.confirm(), answer);
  t.same(lost, [], 'nobody says so');
  answer = new LostWritesError();
  await t.rejects(lease.confirm(), answer);
  t.same(lost, [answer]);
  t.equal(lease.holds, false);
});
