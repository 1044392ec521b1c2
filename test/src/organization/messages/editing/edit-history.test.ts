import t from 'tap';
import { messageHistoryHandler } from '../../../../../src/resources/messages/message-history.js';
import {
  checkHistory,
  withEdit,
} from '../../../../../src/organization/messages/editing/edit-history.js';
import { MessagesWorld, markdown } from '../../../../fixtures/messages-world.js';
import type { Body } from '../../../../fixtures/living-organization.js';

const none = () => undefined;
const NOBODY = { userByName: none, userById: none, groupByName: none, channelByName: none };

class World extends MessagesWorld {
  async history(message_id: number): Promise<Body[]> {
    const reply = await this.call(messageHistoryHandler, this.hamlet, { message_id });
    return reply.message_history as Body[];
  }
}

// [c:edit-history-kept]
void t.test('every accepted edit stays, and the one too many is refused', async (t) => {
  const world = new World();
  world.setRealm({ message_content_edit_limit_seconds: null });
  const id = await world.say('version 0');
  for (let i = 1; i <= 200; i++) await world.edit(id, { content: `version ${i}` });
  const refused = 'A message can be edited at most 200 times.';
  t.equal(await world.refusal(id, { content: 'version 201' }), refused);
  t.strictSame(
    (await world.history(id)).map(({ content }) => content),
    Array.from({ length: 201 }, (_, i) => `version ${i}`),
  );
  t.equal((await world.message(id)).content, '<p>version 200</p>');
  await world.edit(id, { topic: 'dinner' }, world.owner);
  const editors = (await world.history(id)).map(({ user_id }) => user_id);
  const { user_id } = world.hamlet;
  t.strictSame(
    editors,
    [...Array.from({ length: 201 }, () => user_id), world.owner.user_id],
    'each with its editor; a move has a bound of its own',
  );
});

void t.test('long texts stay as well, until they are too long together', async (t) => {
  const world = new World();
  world.setRealm({ message_content_edit_limit_seconds: null });
  const long = (i: number) => `${i} ${'x'.repeat(9990)}`;
  const id = await world.say(long(0));
  const refused = 'The former texts of a message can have at most 524288 characters.';
  let count = 0;
  let said = 'nothing';
  while (said === 'nothing' && count < 100) {
    said = await world.refusal(id, { content: long(count + 1) }).catch(() => 'nothing');
    if (said === 'nothing') count += 1;
  }
  t.equal(said, refused);
  t.equal(count, 26);
  t.strictSame(
    (await world.history(id)).map(({ content }) => content),
    Array.from({ length: count + 1 }, (_, i) => long(i)),
  );
});

void t.test('who moved a message stays, and a topic moves no more than 200 times', async (t) => {
  const world = new World();
  const { hamlet, moderator } = world;
  const id = await world.say('one', 'a');
  const movers = Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? moderator : hamlet));
  for (const [i, mover] of movers.entries()) {
    const topic = i % 2 === 0 ? 'b' : 'a';
    await world.edit(id, { topic, propagate_mode: 'change_all' }, mover);
  }
  t.strictSame(
    (await world.history(id)).map(({ user_id, topic }) => [user_id, topic]),
    [[hamlet.user_id, 'a'], ...movers.map(({ user_id }, i) => [user_id, i % 2 === 0 ? 'b' : 'a'])],
  );
  const other = await world.say('two', 'a');
  const refused = `A message can be moved at most 200 times: message ${id} was.`;
  for (const changes of [
    { topic: 'b' },
    { topic: '✔ a', propagate_mode: 'change_all' },
    { stream_id: world.verona.stream_id, propagate_mode: 'change_all' },
  ]) {
    t.equal(await world.refusal(id, changes), refused, JSON.stringify(changes));
  }
  t.equal(await world.refusal(other, { topic: 'b', propagate_mode: 'change_all' }), refused);
  t.equal((await world.message(other)).subject, 'a');
  await world.edit(other, { topic: 'b', propagate_mode: 'change_later' });
  t.equal((await world.message(other)).subject, 'b', 'without that message');
  await world.edit(id, { content: 'uno' });
  t.equal((await world.message(id)).content, '<p>uno</p>', 'its text may change');
});

void t.test('the first edit of a text of any length is accepted', async (t) => {
  const world = new World();
  const id = await world.say('short');
  const message = world.org.messages.resident(id)!;
  const rendered_content = `<p>${'x'.repeat(600_000)}</p>`;
  const long = { ...message, rendered_content };
  const content = { text: 'short', rendered: markdown.render('short', NOBODY) };
  const plan = { user: world.hamlet, content, move: null };
  checkHistory({ ...plan, message: long }, [long]);
  const edit = { user_id: world.hamlet.user_id, timestamp: 1 };
  const former = { ...edit, prev_content: 'long', prev_rendered_content: rendered_content };
  const edited = { ...message, edit_history: withEdit(message, former) };
  t.throws(() => checkHistory({ ...plan, message: edited }, [edited]), /The former texts/);
});
