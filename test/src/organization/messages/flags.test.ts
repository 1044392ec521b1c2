import t from 'tap';
import { MessageAccess } from '../../../../src/organization/messages/message-access.js';
import { messageFlags } from '../../../../src/organization/messages/flags.js';
import { team } from './fixtures/team.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

void t.test('flags are the viewer’s own', async (t) => {
  const small = team();
  small.run(({ org }) => {
    org.messageFlags.set(1, 2, 'starred', true);
    org.messageFlags.set(1, 2, 'collapsed', true);
    org.readState.markRead(1, 102, [6], org.messages.index.conversation(102));
  });
  const flags = (userId: number, id: number) =>
    messageFlags(new MessageAccess(small.org, small.org.users.get(userId)!), small.stored.get(id)!);
  t.same(flags(1, 2), ['starred', 'collapsed', 'mentioned']);
  t.same(flags(1, 6), ['read', 'stream_wildcard_mentioned', 'wildcard_mentioned']);
  t.same(flags(1, 10), ['topic_wildcard_mentioned', 'wildcard_mentioned']);
  t.same(flags(1, 7), ['read', 'historical']);
  t.same(flags(2, 2), []);
});

/** Somebody who starred a message of a channel they are not subscribed to. */
async function starrer() {
  const world = new MessagesWorld();
  const { verona, ophelia } = world;
  const id = await world.say('one', 'lunch', world.hamlet, 'verona');
  world.transact((tx) => tx.org.messageFlags.set(ophelia.user_id, id, 'starred', true));
  return { world, verona, ophelia, id };
}

void t.test('whoever starred a message is told what becomes of it', async (t) => {
  const { world, verona, ophelia, id } = await starrer();
  await world.edit(id, { content: 'two' });
  t.match(world.seen(ophelia), [
    { type: 'update_message', message_id: id, flags: ['read', 'starred', 'historical'] },
  ]);
  await world.edit(id, { topic: 'dinner' });
  t.match(world.seen(ophelia), [{ type: 'update_message', subject: 'dinner' }]);
  t.same(world.org.messageFlags.starred(ophelia.user_id).toArray(), [id]);
  t.equal(world.org.subscriptions.isSubscribed(ophelia.user_id, verona.stream_id), false);
});

void t.test('a message that moves out of sight takes its star along', async (t) => {
  const { world, verona, ophelia, id } = await starrer();
  const hidden = world.channel('hidden', { invite_only: true }, [world.owner, world.hamlet]);
  await world.edit(id, { stream_id: hidden.stream_id }, world.owner);
  const { stream_id } = verona;
  t.strictSame(world.seen(ophelia)[0], {
    type: 'delete_message',
    message_type: 'stream',
    stream_id,
    topic: 'lunch',
    message_ids: [id],
  });
  t.same(world.org.messageFlags.starred(ophelia.user_id).toArray(), []);
});
