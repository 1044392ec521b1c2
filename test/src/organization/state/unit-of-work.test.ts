import fc from 'fast-check';
import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { GroupDocument } from '../../../../schemas/groups/user-group.js';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import type { EntryContent } from '../../../../src/journal/entry.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { Transaction } from '../../../../src/organization/state/transaction.js';
import type { Document } from '../../../../src/store/port.js';
import { account } from '../../../fixtures/core-node.js';

const NAMES = ['Alpha', 'beta', 'GAMMA', 'delta'];
const IDS = [1, 2, 3];

function organization(): Organization {
  const site = { url: '', botDomain: 'example.com', generation: 0 };
  return new Organization(site, { getMany: () => Promise.resolve([]) }, () => 0);
}

function run<T>(org: Organization, work: (tx: Transaction) => T): EntryContent {
  return org.unit.run(new Transaction(org, 1, 0), work).content;
}

interface Step {
  readonly what: 'user' | 'channel' | 'group' | 'sub' | 'dm' | 'presence' | 'counter';
  readonly id: number;
  readonly choice: number;
  readonly remove: boolean;
}

const steps = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('user', 'channel', 'group', 'sub', 'dm', 'presence', 'counter'),
    id: fc.constantFrom(...IDS),
    choice: fc.nat(3),
    remove: fc.boolean(),
  }),
  { maxLength: 25 },
);

/** One write, or none where it would break what the handlers see to (unique names). */
function apply(org: Organization, { what, id, choice, remove }: Step): void {
  const name = NAMES[choice]!;
  const free = (found: { id: number } | undefined): boolean => !found || found.id === id;
  switch (what) {
    case 'user': {
      const holder = org.users.byRealEmail(`${name}@x`);
      if (remove) org.users.delete(id);
      else if (!free(holder && { id: holder.user_id })) return;
      else if (org.users.has(id) && choice > 1) org.users.update(id, { is_active: choice > 2 });
      else org.users.insert(account(id, { email: `${name}@x`, role: choice > 1 ? 600 : 400 }));
      return;
    }
    case 'channel': {
      const holder = org.channels.byName(name);
      if (remove) org.channels.delete(id);
      else if (!free(holder && { id: holder.stream_id })) return;
      else if (org.channels.has(id)) org.channels.update(id, { name, is_default: choice > 1 });
      else {
        const fields = { stream_id: id, recipient_id: 10 + id, name, is_default: true };
        org.channels.insert(fields as ChannelDocument);
      }
      return;
    }
    case 'group':
      if (remove) org.groups.delete(id);
      else if (free(org.groups.byName(name))) {
        const members = IDS.slice(0, choice);
        const fields = { id, name, members, direct_subgroup_ids: [], is_system_group: false };
        org.groups.insert(fields as unknown as GroupDocument);
      }
      return;
    case 'sub': {
      const [user_id, stream_id] = [id, 1 + (choice % 2)];
      const active = choice > 1;
      if (remove) org.subscriptions.delete(`${user_id}:${stream_id}`);
      else {
        const spans = active ? [[1, null]] : [[1, 5]];
        const fields = { user_id, stream_id, active, spans };
        org.subscriptions.insert(fields as unknown as SubscriptionDocument);
      }
      return;
    }
    case 'dm':
      if (remove) org.conversations.delete(id);
      else org.conversations.insert({ recipient_id: id, user_ids: [id, 4 + id] });
      return;
    case 'presence':
      if (remove && choice === 0) org.presences.delete(id);
      else {
        const update_id = org.counters.next('presence_update');
        org.presences.insert({
          user_id: id,
          active_timestamp: choice,
          idle_timestamp: null,
          update_id,
        });
      }
      return;
    case 'counter':
      org.counters.next('message');
  }
}

/** Everything that can be asked of an organization. */
function answers(org: Organization): unknown {
  const { users, channels, groups, subscriptions, conversations, presences, counters } = org;
  const sorted = <T>(items: Iterable<T>): T[] => [...items].sort();
  const isFull = (): boolean => true;
  return {
    users: documents(users),
    byEmail: NAMES.map((name) => users.byRealEmail(`${name.toUpperCase()}@X`)?.user_id),
    active: sorted(users.active),
    guests: sorted(users.activeGuests),
    channels: documents(channels),
    byName: NAMES.map((name) => channels.byName(name.toLowerCase())?.stream_id),
    byRecipient: IDS.map((id) => channels.byRecipient(10 + id)?.name),
    defaults: channels.defaults(),
    groups: documents(groups),
    groupByName: NAMES.map((name) => groups.byName(name)?.id),
    members: IDS.map((id) => IDS.map((user) => groups.isMember(id, account(user), isFull))),
    subscriptions: documents(subscriptions),
    subscribers: IDS.map((id) => sorted(subscriptions.subscribers(id))),
    counts: IDS.map((id) => subscriptions.subscriberCount(id)),
    subscribed: IDS.map((user) => IDS.map((id) => subscriptions.isSubscribed(user, id))),
    was: IDS.map((user) => IDS.map((id) => subscriptions.wasSubscribed(user, id, 3))),
    ofUser: IDS.map((user) => sorted(subscriptions.ofUser(user).keys())),
    conversations: documents(conversations),
    between: IDS.map((id) => conversations.between([id, 4 + id])?.recipient_id),
    talks: [1, 2, 3, 5, 6, 7].map((user) => sorted(conversations.ofUser(user))),
    presences: documents(presences),
    lastUpdate: presences.lastUpdateId,
    since: [-1, 0, 1, 2, 5, 9].map((id) => presences.since(id)),
    counters: documents(counters),
  };
}

function documents(collection: { values(): IterableIterator<object> }): string[] {
  return [...collection.values()].map((document) => JSON.stringify(document)).sort();
}

/** The organization as a process would load it. */
function reloaded(org: Organization): Organization {
  const fresh = organization();
  for (const collection of org.loadable) {
    if (!('values' in collection)) continue;
    for (const document of (collection as unknown as Map<string, Document>).values()) {
      fresh.load(collection.name, document);
    }
  }
  return fresh;
}

void t.test('a transaction that fails leaves documents and indexes as they were', (t) => {
  fc.assert(
    fc.property(steps, steps, steps, fc.boolean(), (before, failing, after, look) => {
      const org = organization();
      const twin = organization();
      const succeed = (one: Organization, list: Step[]): void => {
        run(one, () => list.forEach((step) => apply(one, step)));
      };
      succeed(org, before);
      succeed(twin, before);
      t.throws(() =>
        run(org, () => {
          failing.forEach((step) => apply(org, step));
          // Asking may build what is built on demand.
          if (look) answers(org);
          throw new Error('no');
        }),
      );
      t.strictSame(answers(org), answers(twin));
      succeed(org, after);
      succeed(twin, after);
      t.strictSame(answers(org), answers(twin));
      t.strictSame(answers(org), answers(reloaded(org)));
    }),
    { numRuns: 150 },
  );
  t.end();
});

void t.test('writes of an entry, replayed on a copy, give the same documents', (t) => {
  fc.assert(
    fc.property(steps, steps, (before, list) => {
      const org = organization();
      run(org, () => before.forEach((step) => apply(org, step)));
      const stored = new Map<string, unknown>();
      const keep = (content: EntryContent): void => {
        for (const write of content.writes) {
          const key = `${write.key.collection}:${write.key.id}`;
          if (write.op === 'delete') stored.delete(key);
          else if (write.op === 'set') stored.set(key, write.document);
          else {
            const merged = { ...(stored.get(key) as object), ...write.fields };
            t.strictSame(merged, write.document, 'fields and whole document agree');
            stored.set(key, merged);
          }
        }
        const keys = content.writes.map(({ key }) => `${key.collection}:${key.id}`);
        t.equal(new Set(keys).size, keys.length, 'one write per document');
      };
      const all = organization();
      keep(run(all, () => before.forEach((step) => apply(all, step))));
      keep(run(all, () => list.forEach((step) => apply(all, step))));
      const held = all.loadable.flatMap((one) =>
        'values' in one
          ? [...(one as unknown as Map<string, object>).values()].map((doc) => JSON.stringify(doc))
          : [],
      );
      t.strictSame([...stored.values()].map((doc) => JSON.stringify(doc)).sort(), held.sort());
    }),
    { numRuns: 100 },
  );
  t.end();
});

void t.test('several writes to one document become one', (t) => {
  const org = organization();
  const ops = (work: () => void): string[] =>
    run(org, work).writes.map(({ op, key }) => `${op} ${key.collection}:${key.id}`);
  t.same(
    ops(() => {
      org.users.insert(account(1));
      org.users.update(1, { full_name: 'Other' });
      org.counters.next('user');
      org.counters.next('user');
    }),
    ['set user:1', 'set counter:user'],
  );
  const content = run(org, () => {
    org.users.update(1, { full_name: 'A', is_bot: true });
    org.users.update(1, { full_name: 'B' });
  });
  t.match(content.writes, [{ op: 'merge', fields: { full_name: 'B', is_bot: true } }]);
  t.same(
    ops(() => {
      org.users.delete(1);
      org.users.insert(account(1));
    }),
    ['set user:1'],
  );
  t.same(
    ops(() => {
      org.users.insert(account(2));
      org.users.delete(2);
    }),
    ['delete user:2'],
  );
  t.end();
});

void t.test('documents are never changed in place', (t) => {
  const org = organization();
  const first = account(1);
  run(org, () => org.users.insert(first));
  run(org, () => org.users.update(1, { full_name: 'New' }));
  t.equal(first.full_name, 'User 1');
  t.equal(org.users.get(1)!.full_name, 'New');
  t.end();
});

void t.test('nothing is written outside a transaction, nor in one within another', (t) => {
  const org = organization();
  t.throws(() => org.users.insert(account(1)), { message: /outside a transaction/ });
  t.equal(org.users.size, 0);
  t.throws(() =>
    run(org, () => {
      org.users.insert(account(1));
      run(org, () => undefined);
    }),
  );
  t.equal(org.users.size, 0, 'the outer one is taken back');
  t.doesNotThrow(() => run(org, () => org.users.insert(account(1))));
  t.throws(() => run(org, () => org.users.update(2, {})), { message: 'user:2 does not exist' });
  t.notOk(run(org, () => org.users.delete(2)).writes.length);
  t.end();
});
