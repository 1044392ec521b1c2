import t from 'tap';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { personalHandlers } from '../../../../src/resources/personal/texts.js';
import { settingsHandlers } from '../../../../src/resources/users/settings.js';
import { unlimitedLogins } from '../../../../src/resources/kernel/login-limiter.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import {
  LivingOrganization,
  START_SECONDS,
  type Body,
} from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly ophelia = this.addUser('ophelia@example.com');
  readonly general = this.org.channels.byName('general')!.stream_id;
  mark = this.position;

  do(operation: string, params: Body = {}, caller = this.hamlet) {
    const handler = handlerOf(personalHandlers(), operation);
    return this.call(handler, caller, params);
  }

  /** What the user was told since the last time. */
  told(user = this.hamlet): Body[] {
    const events = this.received(user, this.mark);
    this.mark = this.position;
    return events;
  }
}

const refused = (message: string, status = 400) => ({ status, code: 'BAD_REQUEST', message });

void t.test('drafts are created, changed and deleted; only their owner is told', async (t) => {
  const world = new World();
  const { general, ophelia } = world;
  const first = {
    type: 'channel',
    to: [general],
    topic: ' plot ',
    content: 'to be ',
    timestamp: 10,
  };
  const second = {
    type: 'direct',
    to: [ophelia.user_id],
    topic: 'x',
    content: '',
    timestamp: 20.7,
  };
  const third = { type: '', to: [], topic: 'kept', content: 'later' };
  t.strictSame(await world.do('create-drafts', { drafts: [first, second, third] }), {
    ids: [1, 2, 3],
  });
  const drafts = [
    { id: 1, type: 'stream', to: [general], topic: 'plot', content: 'to be', timestamp: 10 },
    { id: 2, type: 'private', to: [ophelia.user_id], topic: '', content: '', timestamp: 20 },
    { id: 3, type: '', to: [], topic: '', content: 'later', timestamp: START_SECONDS },
  ];
  t.strictSame(world.received(ophelia, world.mark), []);
  t.strictSame(world.told(), [{ type: 'drafts', op: 'add', drafts }]);
  t.strictSame(await world.do('get-drafts'), {
    count: 3,
    drafts: [drafts[2], drafts[1], drafts[0]],
  });
  const changed = {
    type: 'stream',
    to: [general],
    topic: '(no topic)',
    content: 'or not',
    timestamp: 30,
  };
  t.strictSame(await world.do('edit-draft', { draft_id: 1, draft: changed }), {});
  t.strictSame(world.told(), [
    { type: 'drafts', op: 'update', draft: { ...changed, id: 1, topic: '' } },
  ]);
  t.strictSame(await world.do('delete-draft', { draft_id: 2 }), {});
  t.strictSame(world.told(), [{ type: 'drafts', op: 'remove', draft_id: 2 }]);
  t.strictSame(await world.do('create-drafts', { drafts: [] }), { ids: [] });
  t.strictSame(world.told(), []);
  t.equal(world.reloaded().drafts.size, 2);
});

void t.test('drafts that cannot be; nothing is kept of a list with one of them', async (t) => {
  const world = new World();
  const { general } = world;
  const ok = { type: '', to: [], topic: '', content: 'x' };
  const create = (draft: Body) => world.do('create-drafts', { drafts: [ok, { ...ok, ...draft }] });
  await t.rejects(create({ timestamp: -1 }), refused('Timestamp must not be negative.'));
  const one = refused('Must specify exactly 1 channel ID for channel messages');
  await t.rejects(create({ type: 'stream' }), one);
  await t.rejects(create({ type: 'stream', to: [general, general] }), one);
  await t.rejects(create({ type: 'stream', to: [99] }), refused('Invalid channel ID'));
  await t.rejects(create({ type: 'private', to: [99] }), refused('Invalid user ID 99'));
  await t.rejects(
    create({ type: 'stream', to: [general], topic: 'a\0b' }),
    refused('Topic must not contain null bytes'),
  );
  t.strictSame(world.told(), []);
  t.equal(world.org.drafts.size, 0);
  await world.do('create-drafts', { drafts: [ok] });
  const absent = refused('Draft does not exist', 404);
  await t.rejects(world.do('edit-draft', { draft_id: 1, draft: ok }, world.ophelia), absent);
  await t.rejects(world.do('delete-draft', { draft_id: 1 }, world.ophelia), absent);
  await t.rejects(world.do('delete-draft', { draft_id: 9 }), absent);
  await world.do('create-drafts', { drafts: Array.from({ length: 999 }, () => ok) });
  await t.rejects(create({}), refused('You can have at most 1000 drafts.'));
});

void t.test(
  'enable_drafts_synchronization: "all drafts stored on the server are deleted; no event is sent"',
  async (t) => {
    const world = new World();
    const draft = { type: '', to: [], topic: '', content: 'x' };
    await world.do('create-drafts', { drafts: [draft, draft] });
    await world.do('create-drafts', { drafts: [draft] }, world.ophelia);
    world.told();
    const [settings] = settingsHandlers({
      presence: world.presence,
      limiter: unlimitedLogins,
    } as never);
    await world.call(settings!, world.hamlet, { enable_drafts_synchronization: false });
    t.strictSame(
      world.told().map((event) => event.type),
      ['user_settings'],
    );
    t.equal(world.org.drafts.size, 1, 'those of others stay');
    const off = refused('User has disabled synchronizing drafts.');
    await t.rejects(world.do('create-drafts', { drafts: [draft] }), off);
    await t.rejects(world.do('edit-draft', { draft_id: 1, draft }), off);
    await t.rejects(world.do('delete-draft', { draft_id: 1 }), off);
    t.strictSame(await world.do('get-drafts'), { count: 0, drafts: [] });
    await world.call(settings!, world.owner, {
      target_users: { user_ids: [world.ophelia.user_id] },
      enable_drafts_synchronization: false,
    });
    t.equal(world.org.drafts.size, 0, 'also where somebody else turns it off');
  },
);

void t.test('saved snippets', async (t) => {
  const world = new World();
  const create = (title: string, content: string) =>
    world.do('create-saved-snippet', { title, content });
  t.strictSame(await create(' hello ', ' world '), { saved_snippet_id: 1 });
  const snippet = { id: 1, title: 'hello', content: 'world', date_created: START_SECONDS };
  t.strictSame(world.told(), [{ type: 'saved_snippets', op: 'add', saved_snippet: snippet }]);
  await world.do('edit-saved-snippet', { saved_snippet_id: 1 });
  t.strictSame(world.told(), [], 'nothing given');
  await world.do('edit-saved-snippet', { saved_snippet_id: 1, title: 'bye' });
  const changed = { ...snippet, title: 'bye' };
  t.strictSame(world.told(), [{ type: 'saved_snippets', op: 'update', saved_snippet: changed }]);
  await create('second', 'text');
  t.match(await world.do('get-saved-snippets'), { saved_snippets: [changed, { id: 2 }] });
  await t.rejects(create(' ', 'x'), refused('title cannot be blank'));
  await t.rejects(create('x', ''), refused('content cannot be blank'));
  await t.rejects(create('x', 'a\0'), refused('Content must not contain null bytes'));
  const absent = refused('Saved snippet does not exist.', 404);
  await t.rejects(world.do('delete-saved-snippet', { saved_snippet_id: 1 }, world.ophelia), absent);
  await t.rejects(world.do('edit-saved-snippet', { saved_snippet_id: 9, title: 'x' }), absent);
  world.told();
  await world.do('delete-saved-snippet', { saved_snippet_id: 1 });
  t.strictSame(world.told(), [{ type: 'saved_snippets', op: 'remove', saved_snippet_id: 1 }]);
  t.equal(world.reloaded().snippets.size, 1);
});

void t.test('alert words: "the user’s clients when their alert words change"', async (t) => {
  const world = new World();
  const add = (...alert_words: string[]) => world.do('add-alert-words', { alert_words });
  const remove = (...alert_words: string[]) => world.do('remove-alert-words', { alert_words });
  t.strictSame(await add(' Fire ', '', 'fire', 'C++'), { alert_words: ['Fire', 'C++'] });
  t.strictSame(world.told(), [{ type: 'alert_words', alert_words: ['Fire', 'C++'] }]);
  await add('FIRE');
  await remove('water');
  t.strictSame(world.told(), [], 'nothing changed');
  const send = handlerOf(messageHandlers(createMarkdown()), 'send-message');
  const say = (content: string) =>
    world.call(send, world.ophelia, { type: 'channel', to: world.general, topic: 'x', content });
  const flags = () => {
    const last = world.entries.flatMap(({ content }) => content.events).at(-1)!;
    return (last.data.flags as Record<string, string[]> | undefined)?.[world.hamlet.user_id];
  };
  await say('there is a fire');
  t.ok(flags()?.includes('has_alert_word'));
  t.strictSame(await remove('fire'), { alert_words: ['C++'] });
  await say('there is a fire again');
  t.notOk(flags()?.includes('has_alert_word'));
  world.mark = world.position;
  t.strictSame(await remove('c++'), { alert_words: [] });
  t.strictSame(world.told(), [{ type: 'alert_words', alert_words: [] }]);
  t.strictSame(await world.do('get-alert-words'), { alert_words: [] });
  t.equal(world.reloaded().alertWords.size, 0);
});
