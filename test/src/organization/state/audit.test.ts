/** What the audit log tells of deeds that no document of settings shows. */
import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { recordFetched } from '../../../../src/nodes/service/node-downloads.js';
import type { Actor } from '../../../../src/organization/state/audited.js';
import type { Transaction } from '../../../../src/organization/state/transaction.js';
import type { AuditChange } from '../../../../schemas/realm/audit-log.js';
import { subscriptionHandlers } from '../../../../src/resources/channels/subscriptions.js';
import { messageDeletionHandlers } from '../../../../src/resources/messages/message-deletion.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { userStatusHandlers } from '../../../../src/resources/personal/user-status.js';
import { auditLogHandler } from '../../../../src/resources/realm/audit-log.js';
import { exportHandlers } from '../../../../src/resources/realm/exports.js';
import { markdown, MessagesWorld } from '../../../fixtures/messages-world.js';

interface Record {
  readonly user_id: number | null;
  readonly way: string;
  readonly changes: readonly AuditChange[];
  readonly left_out: number;
}

class World extends MessagesWorld {
  override readonly handlers = [
    ...messageHandlers(markdown),
    ...messageDeletionHandlers(null as never),
    this.editing,
    auditLogHandler,
    ...subscriptionHandlers({ markdown }),
    ...userStatusHandlers({ presence: this.presence }),
    ...exportHandlers({
      blobs: this.blobs,
      onBlobError: (error) => t.error(error),
      runExport: () => undefined,
    }),
  ];

  /** What the log says, the newest first. */
  async log(): Promise<Record[]> {
    const { records } = await this.do('get-audit-log', {}, this.owner);
    return records as Record[];
  }
}

void t.test(
  'an administrator takes others to a channel, and away from it, on record',
  async (t) => {
    const world = new World();
    const { hamlet, ophelia, owner, general } = world;
    const since = (await world.log()).length;
    const subscriptions = [{ name: 'general' }];
    await world.do('subscribe', { subscriptions }, hamlet);
    await world.do('unsubscribe', { subscriptions: ['general'] }, hamlet);
    t.equal((await world.log()).length, since, 'what people do for themselves is no deed');

    const principals = [owner.user_id, hamlet.user_id, ophelia.user_id];
    await world.do('subscribe', { subscriptions, principals }, owner);
    await world.do('unsubscribe', { subscriptions: ['general'], principals }, owner);
    const [gone, came] = await world.log();
    const others = JSON.stringify([hamlet.user_id, ophelia.user_id]);
    const change = { kind: 'channel', id: general.stream_id, name: 'general', action: 'changed' };
    t.match(came, { user_id: owner.user_id, way: 'api', left_out: 0 });
    t.strictSame(came!.changes, [
      { ...change, fields: [{ name: 'subscribers', old: null, new: `[${hamlet.user_id}]` }] },
    ]);
    t.strictSame(gone!.changes, [
      { ...change, fields: [{ name: 'subscribers', old: others, new: null }] },
    ]);
  },
);

void t.test("who deletes another's message, or sets their status, is on record", async (t) => {
  const world = new World();
  const { hamlet, owner, general } = world;
  await world.do('subscribe', { subscriptions: [{ name: 'general' }] }, hamlet);
  const said = { type: 'channel', to: general.stream_id, topic: 'secret plans' };
  const say = async (content: string): Promise<number> => {
    return Number((await world.do('send-message', { ...said, content }, hamlet))['id']);
  };
  const since = (await world.log()).length;
  await world.do('delete-message', { message_id: await say('by mistake') }, hamlet);
  await world.do('update-own-status', { status_text: 'away' }, hamlet);
  t.equal((await world.log()).length, since, 'by oneself it is not');

  const message_id = await say('the king is dead');
  await world.do('delete-message', { message_id }, owner);
  await world.do('update-user-status', { user_id: hamlet.user_id, status_text: 'mad' }, owner);
  const [status, deleted] = await world.log();
  t.strictSame(deleted!.changes, [
    {
      ...{ kind: 'message', id: message_id, name: '', action: 'removed' },
      fields: [{ name: 'sender_id', old: String(hamlet.user_id), new: null }],
    },
  ]);
  t.strictSame(status!.changes, [
    {
      ...{ kind: 'user', id: hamlet.user_id, name: 'hamlet', action: 'changed' },
      fields: [{ name: 'status', old: null, new: null }],
    },
  ]);
  t.same([deleted!.user_id, status!.user_id], [owner.user_id, owner.user_id]);
  t.notMatch(JSON.stringify(await world.log()), /king|mad|secret plans/, 'not what was written');
});

void t.test('an administrator who moves or renames what others wrote is on record', async (t) => {
  const world = new World();
  const { hamlet, owner, verona, general } = world;
  await world.do('subscribe', { subscriptions: [{ name: 'general' }] }, hamlet);
  const say = async (author: UserDocument): Promise<number> => {
    const said = { type: 'channel', to: general.stream_id, topic: 'secret plans', content: 'x' };
    return Number((await world.do('send-message', said, author))['id']);
  };
  const since = (await world.log()).length;
  const [theirs, own] = [await say(hamlet), await say(owner)];
  const quiet = { send_notification_to_old_thread: false, send_notification_to_new_thread: false };
  const one = { propagate_mode: 'change_one', ...quiet };
  await world.do('update-message', { message_id: theirs, topic: 'mine', ...one }, hamlet);
  await world.do('update-message', { message_id: own, topic: 'mine', ...one }, owner);
  t.equal((await world.log()).length, since, 'what people do with their own is no deed');
  const topic = { topic: 'other plans', propagate_mode: 'change_all', ...quiet };
  await world.do('update-message', { message_id: theirs, ...topic }, owner);
  const resolved = { topic: '✔ other plans', propagate_mode: 'change_all' };
  await world.do('update-message', { message_id: theirs, ...resolved }, owner);
  const moved = { message_id: theirs, stream_id: verona.stream_id, ...one };
  await world.do('update-message', moved, owner);
  const [between, renamed, ...rest] = await world.log();
  t.equal(rest.length, since, 'who resolves is told in the topic');
  const what = { kind: 'channel', id: general.stream_id, name: 'general', action: 'changed' };
  const messages = { name: 'messages', old: null, new: '1' };
  t.match(renamed, { user_id: owner.user_id, way: 'api' });
  t.strictSame(renamed!.changes, [
    { ...what, fields: [messages, { name: 'topic', old: null, new: null }] },
  ]);
  const [from, to] = [general.stream_id, verona.stream_id].map(String);
  t.strictSame(between!.changes, [
    { ...what, fields: [messages, { name: 'stream_id', old: from, new: to }] },
  ]);
  t.notMatch(JSON.stringify(await world.log()), /plans|mine/);
});

void t.test('whoever fetches the file of an export is on record, as nobody known', async (t) => {
  const world = new World();
  await world.do('export-realm', { export_type: 'public' }, world.owner);
  const runtime = {
    transact: (work: (tx: Transaction) => void, actor: Actor) => {
      t.equal(actor.way, 'link');
      world.transact(work);
    },
    durable: null,
  };
  await recordFetched(runtime as never, 1);
  const [fetched] = await world.log();
  t.strictSame(fetched!.changes, [
    {
      ...{ kind: 'export', id: 1, name: 'public', action: 'done' },
      fields: [{ name: 'file', old: null, new: null }],
    },
  ]);
});

void t.test('who begins an export, and who deletes its file, is on record', async (t) => {
  const world = new World();
  const { owner } = world;
  await world.do('export-realm', { export_type: 'full_with_consent' }, owner);
  const one = world.org.realmExports.get(1)!;
  world.transact((tx) => tx.org.realmExports.update(one.id, { pending: false, parts: [12] }));
  await world.do('delete-realm-export', { export_id: 1 }, owner);
  const [deleted, begun] = await world.log();
  const what = { kind: 'export', id: 1, name: 'full_with_consent' };
  t.match(begun, { user_id: owner.user_id, way: 'api' });
  t.strictSame(begun!.changes, [{ ...what, action: 'created', fields: [] }]);
  t.equal(deleted!.user_id, owner.user_id);
  t.strictSame(deleted!.changes, [
    {
      ...{ ...what, action: 'changed' },
      fields: [{ name: 'deleted_timestamp', old: 'null', new: '1769853600' }],
    },
  ]);
  t.notMatch(JSON.stringify(await world.log()), one.token);
});
