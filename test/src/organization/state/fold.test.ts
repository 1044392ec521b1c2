import t from 'tap';
import { FoldError } from '../../../../src/organization/state/fold.js';
import type { Document, EntryChange } from '../../../../src/store/port.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

/** Position of the entries of these tests. */
const SEQ = 2000;

function merge(collection: string, id: string, fields: Document): EntryChange {
  return { op: 'merge', key: { collection, id }, fields };
}

function remove(collection: string, id: string): EntryChange {
  return { op: 'delete', key: { collection, id } };
}

void t.test('an entry changes, adds and removes documents with their indexes', async (t) => {
  const { org, ...made } = twoChannels();
  const { one, two } = made;
  org.fold(
    [
      merge('channel', String(one.stream_id), { name: 'renamed' }),
      {
        op: 'set',
        key: { collection: 'channel', id: '77' },
        fields: { ...two, stream_id: 77, recipient_id: 770, name: 'new' },
      },
      remove('channel', String(two.stream_id)),
    ],
    SEQ,
  );
  t.equal(org.channels.byName('renamed')?.stream_id, one.stream_id);
  t.equal(org.channels.byName(one.name), undefined);
  t.equal(org.channels.byRecipient(770)?.name, 'new');
  t.equal(org.channels.byName(two.name), undefined);
  t.equal(org.channels.get(one.stream_id)?.date_created, one.date_created);
});

void t.test('a change of a document that is not there is an error', async (t) => {
  const { org } = twoChannels();
  for (const collection of ['channel', 'message', 'scheduled_message', 'subscription']) {
    t.throws(() => org.fold([remove(collection, '99')], SEQ), FoldError, collection);
  }
  t.throws(
    () => org.fold([merge('message', '99', { topic: 'elsewhere' })], SEQ),
    new Error(`Entry ${SEQ} has a merge of message:99, which is not in memory`),
  );
});

void t.test('while memory may be newer than the entry, such a change is skipped', async (t) => {
  const { org } = twoChannels();
  const before = org.channels.size;
  const options = { tolerant: true };
  org.fold([remove('channel', '99'), merge('message', '99', { topic: 'x' })], SEQ, options);
  t.equal(org.channels.size, before);
  t.equal(org.messages.size, 0);
});

void t.test(
  "a name that two documents have meanwhile is its last owner's in the end",
  async (t) => {
    // The first has its name already; before it got it, the other one had it for a while.
    const { org, one, two } = twoChannels();
    const options = { tolerant: true };
    const rename = (id: number, name: string) =>
      org.fold([merge('channel', String(id), { name })], SEQ, options);
    rename(two.stream_id, one.name);
    rename(two.stream_id, two.name);
    rename(one.stream_id, one.name);
    t.equal(org.channels.byName(one.name)?.stream_id, one.stream_id);
    t.equal(org.channels.byName(two.name)?.stream_id, two.stream_id);
  },
);

void t.test('changes of collections that are not in memory go to who takes them', async (t) => {
  const { org } = twoChannels();
  const taken: EntryChange[] = [];
  const change = remove('queue', 'q1');
  org.fold([change], SEQ);
  org.fold([change, remove('message_archive', '3')], SEQ, { apart: (one) => taken.push(one) });
  t.same(taken, [change, remove('message_archive', '3')]);
});

function twoChannels() {
  const made = new TestOrganization();
  return { org: made.org, one: made.channel(), two: made.channel() };
}
