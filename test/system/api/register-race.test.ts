import t from 'tap';
import { SnapshotClient } from '../harness/apply/apply-events.js';
import type { ApiClient, Body, Snapshot, WireEvent } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

/** As many as one user may have queues, 300, with room for those that are under way. */
const REGISTRATIONS = 280;
const AT_ONCE = 8;
const FIRST_SIZE = 1;
const LAST_SIZE = 1000;
/** Sections that the changes under way concern, so that the registrations are quick and many. */
const SECTIONS = [
  'message',
  'update_message_flags',
  'recent_private_conversations',
  'starred_messages',
  'subscription',
  'stream',
  'default_streams',
  'user_settings',
  'realm_user',
];
const REGISTRATION = { fetch_event_types: SECTIONS, include_subscribers: true };

/** Changes that go on until told to stop; each kind is one change after the other. */
class Fire {
  private burning = true;
  private readonly changes: Promise<void>[];
  /** How many changes there were. */
  count = 0;

  constructor(private readonly organization: AskedOrganization) {
    const { owner, hamlet } = organization;
    this.changes = [
      this.repeat((i) => owner.say(`message ${i}`)),
      this.repeat((i) => owner.tell([hamlet.userId], `direct ${i}`)),
      // A number that grows by one: a missed or a repeated change shows in the next.
      this.repeat((i) => setSize(hamlet, FIRST_SIZE + 1 + i), LAST_SIZE - FIRST_SIZE - 1),
      this.repeat((i) => this.flap(i)),
      this.repeat(async (i) => {
        const messages = [await owner.say(`to be read ${i}`)];
        await hamlet.ok('POST', '/messages/flags', { messages, op: 'add', flag: 'read' });
      }),
    ];
  }

  async stop(): Promise<void> {
    this.burning = false;
    await Promise.all(this.changes);
  }

  private async repeat(change: (i: number) => Promise<unknown>, most = Infinity): Promise<void> {
    for (let i = 0; this.burning && i < most; i++) {
      await change(i);
      this.count += 1;
    }
  }

  private async flap(i: number): Promise<void> {
    const { owner, hamlet } = this.organization;
    const name = `flap ${Math.floor(i / 4) % 3}`;
    const principals = [hamlet.userId];
    if (i % 2 === 0) {
      const subscriptions = [{ name }];
      await owner.ok('POST', '/users/me/subscriptions', { subscriptions, principals });
    } else {
      const subscriptions = [name];
      await owner.ok('DELETE', '/users/me/subscriptions', { subscriptions, principals });
    }
  }
}

function setSize(client: ApiClient, size: number): Promise<Body> {
  return client.ok('PATCH', '/settings', { web_font_size_px: size });
}

/** What a snapshot says and later events change by one: each change once, in order. */
function checkSequence(snapshot: Snapshot, events: readonly WireEvent[]): string[] {
  const faults: string[] = [];
  let size = (snapshot.user_settings as { web_font_size_px: number }).web_font_size_px;
  let newest = snapshot.max_message_id as number;
  for (const event of events) {
    if (event.id <= snapshot.last_event_id) faults.push(`event ${event.id} is in the snapshot`);
    if (event.type === 'user_settings' && event.property === 'web_font_size_px') {
      if (event.value !== size + 1) faults.push(`size ${String(event.value)} after ${size}`);
      size = event.value as number;
    }
    if (event.type === 'message') {
      const { id } = event.message as { id: number };
      if (id <= newest) faults.push(`message ${id} after ${newest}`);
      newest = id;
    }
  }
  return faults;
}

void t.test(`${REGISTRATIONS} registrations while everything changes`, async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet } = organization;
  await setSize(hamlet, FIRST_SIZE);
  const fire = new Fire(organization);
  const snapshots: Snapshot[] = [];
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (snapshots.length < REGISTRATIONS) snapshots.push(await hamlet.register(REGISTRATION));
    }),
  );
  await fire.stop();
  await owner.say('the end');
  t.comment(`${snapshots.length} registrations during ${fire.count} changes`);
  const moments = new Set(snapshots.map((one) => `${one.max_message_id as number}`));
  t.ok(moments.size > 20, `at ${moments.size} different moments`);

  const actual = new SnapshotClient(
    hamlet.userId,
    await hamlet.register(REGISTRATION),
    REGISTRATION,
  ).comparable();
  const expected = JSON.stringify(sorted(actual));
  const faults: string[] = [];
  let different = 0;
  for (const snapshot of snapshots) {
    const events = await QueueReader.from(hamlet, snapshot).now();
    faults.push(...checkSequence(snapshot, events));
    const client = new SnapshotClient(hamlet.userId, snapshot, REGISTRATION);
    for (const event of events) client.apply(event);
    if (JSON.stringify(sorted(client.comparable())) === expected) continue;
    // Only the first one in full: the others are likely to be the same fault.
    if (different === 0) t.strictSame(client.comparable(), actual, 'the first that differs');
    different += 1;
  }
  t.same(faults, [], 'no change is missed or repeated');
  t.equal(different, 0, 'every client ends with what is so');
});

/** Keys in one order, so that only values decide. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}
