import t from 'tap';
import { linkifierHandlers } from '../../../../src/resources/realm/linkifiers.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { LivingOrganization, PLAIN, type Body } from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  override readonly handlers = linkifierHandlers();
  readonly hamlet = this.addUser('hamlet@example.com');

  list = async () => (await this.do('get-linkifiers', {}, this.owner)).linkifiers as Body[];
  add = (params: Body) => this.do('add-linkifier', params, this.owner);
  change = (filter_id: number, params: Body) =>
    this.do('update-linkifier', { filter_id, ...params }, this.owner);
  remove = (filter_id: number) => this.do('remove-linkifier', { filter_id }, this.owner);
  reorder = (...ordered_linkifier_ids: number[]) =>
    this.do('reorder-linkifiers', { ordered_linkifier_ids }, this.owner);
}

const ISSUE = { pattern: '#(?P<id>[0-9]+)', url_template: 'https://tracker.example/{id}' };
const CHANGE = { pattern: 'r(?P<id>[0-9]+)', url_template: 'https://code.example/{id}' };
const shown = (id: number, source: Body) => ({
  id,
  example_input: null,
  reverse_template: null,
  alternative_url_templates: [],
  ...source,
});
const refused = (message: string, field?: string) => ({
  status: 400,
  code: 'BAD_REQUEST',
  message,
  fields: field === undefined ? {} : { errors: { [field]: [message] } },
});

// [c:linkifier-created]
void t.test('pattern, url_template and the rest make a linkifier; everybody is told', async (t) => {
  const world = new World();
  t.strictSame(await world.add(ISSUE), { id: 1 });
  const full = {
    ...CHANGE,
    example_input: 'r12',
    reverse_template: 'r{id}',
    alternative_url_templates: ['https://old.example/?id={id}'],
  };
  t.strictSame(await world.add(full), { id: 2 });
  const all = [shown(1, ISSUE), shown(2, full)];
  t.strictSame(await world.list(), all);
  t.strictSame(world.received(world.hamlet, world.mark, PLAIN), [], 'only who declared it');
  t.strictSame(world.newEvents(world.hamlet), [
    { type: 'realm_linkifiers', realm_linkifiers: all.slice(0, 1) },
    { type: 'realm_linkifiers', realm_linkifiers: all },
  ]);
  t.equal(world.reloaded().linkifiers.compiled.length, 2);
});

// [c:linkifier-refusals]
void t.test('refusals name the field and change nothing', async (t) => {
  const world = new World();
  await world.add(ISSUE);
  world.newEvents(world.hamlet);
  await t.rejects(world.add(ISSUE), refused('Linkifier already exists.', 'pattern'));
  await t.rejects(
    world.add({ ...CHANGE, url_template: 'https://x.example/{' }),
    refused('Invalid URL template.', 'url_template'),
  );
  await t.rejects(
    world.add({ ...CHANGE, url_template: 'https://x.example/' }),
    refused("Group 'id' in linkifier pattern is not present in URL template.", '__all__'),
  );
  await t.rejects(
    world.add({ ...CHANGE, reverse_template: 'r{id}' }),
    refused('A reverse template needs an example input.', 'example_input'),
  );
  await t.rejects(
    world.add({ ...CHANGE, example_input: 'r1', reverse_template: '{id}' }),
    refused('The reverse template must reproduce the example input.', 'reverse_template'),
  );
  t.strictSame(world.newEvents(world.hamlet), []);
  for (let i = 2; i <= 100; i++) await world.add({ ...ISSUE, pattern: `x${i}(?P<id>[0-9]+)` });
  await t.rejects(world.add(CHANGE), refused('An organization can have at most 100 linkifiers.'));
});

// [c:linkifier-changed]
void t.test(
  'changing: an absent value stays, an empty reverse template takes it away',
  async (t) => {
    const world = new World();
    const full = {
      ...ISSUE,
      example_input: '#12',
      reverse_template: '#{id}',
      alternative_url_templates: ['https://old.example/{id}'],
    };
    await world.add(full);
    world.newEvents(world.hamlet);
    await world.change(1, ISSUE);
    t.strictSame(world.newEvents(world.hamlet), [], 'nothing changed');
    await world.change(1, { ...ISSUE, url_template: 'https://new.example/{id}' });
    const changed = { ...full, url_template: 'https://new.example/{id}' };
    t.strictSame(world.newEvents(world.hamlet), [
      { type: 'realm_linkifiers', realm_linkifiers: [shown(1, changed)] },
    ]);
    await t.rejects(
      world.change(1, CHANGE),
      refused('The example input does not match the pattern.', 'example_input'),
      'what stays is verified too',
    );
    await world.change(1, { ...CHANGE, example_input: 'r7', reverse_template: 'r{id}' });
    await world.change(1, { ...CHANGE, reverse_template: '', alternative_url_templates: [] });
    t.strictSame(await world.list(), [
      shown(1, { ...CHANGE, example_input: 'r7', reverse_template: null }),
    ]);
    const other = { ...CHANGE, pattern: 'c(?P<id>[0-9]+)' };
    await t.rejects(
      world.change(1, { ...other, example_input: 'r7' }),
      refused('The example input does not match the pattern.', 'example_input'),
    );
    await world.change(1, other);
    t.strictSame(
      await world.list(),
      [shown(1, other)],
      'an example that nothing needs and that does not match any more goes with its pattern',
    );
    await world.add(ISSUE);
    await t.rejects(world.change(1, ISSUE), refused('Linkifier already exists.', 'pattern'));
    await t.rejects(world.change(9, CHANGE), refused('Linkifier not found.'));
  },
);

void t.test('an order that leaves out or repeats a linkifier is refused', async (t) => {
  const world = new World();
  await world.add(ISSUE);
  await world.add(CHANGE);
  world.newEvents(world.hamlet);
  await t.rejects(
    world.reorder(1, 1),
    refused('The ordered list must not contain duplicated linkifiers'),
  );
  const enumerate = refused('The ordered list must enumerate all existing linkifiers exactly once');
  await t.rejects(world.reorder(1), enumerate);
  await t.rejects(world.reorder(1, 3), enumerate);
  await world.reorder(1, 2);
  t.strictSame(world.newEvents(world.hamlet), []);
  await world.reorder(2, 1);
  const both = [shown(2, CHANGE), shown(1, ISSUE)];
  t.strictSame(world.newEvents(world.hamlet), [
    { type: 'realm_linkifiers', realm_linkifiers: both },
  ]);
  t.strictSame(await world.add({ ...ISSUE, pattern: 'z(?P<id>[0-9]+)' }), { id: 3 });
  t.strictSame(
    (await world.list()).map((one) => one.id),
    [2, 1, 3],
    'a new one goes last',
  );
  await world.remove(2);
  await t.rejects(world.remove(2), refused('Linkifier not found.'));
  t.strictSame(
    (await world.list()).map((one) => one.id),
    [1, 3],
  );
});

void t.test('messages and topics are linked from then on', async (t) => {
  const world = new World();
  const send = handlerOf(messageHandlers(createMarkdown()), 'send-message');
  const { stream_id } = world.general;
  const say = () =>
    world.call(send, world.hamlet, {
      type: 'channel',
      to: stream_id,
      topic: 'bug #7',
      content: 'see #7',
    });
  await say();
  await world.add(ISSUE);
  await say();
  const [before, after] = world.entries
    .flatMap(({ content }) => content.writes)
    .filter((write) => write.key.collection === 'message')
    .slice(-2)
    .map((write) => (write.op === 'delete' ? {} : write.document) as Body);
  t.match(before, { rendered_content: '<p>see #7</p>', topic_links: [] });
  t.match(after, {
    rendered_content: '<p>see <a href="https://tracker.example/7">#7</a></p>',
    topic_links: [{ text: '#7', url: 'https://tracker.example/7' }],
  });
});

void t.test('a prefix counts characters, and what stands beside the link stays', async (t) => {
  const world = new World();
  const markdown = createMarkdown({ onError: (error) => t.fail(String(error)) });
  const send = handlerOf(messageHandlers(markdown), 'send-message');
  const pattern = 'doc/(?P<a>\\S+)';
  await world.add({ pattern, url_template: 'https://d.example.com/{a:1}' });
  const content = 'doc/😀b **bold** @**all**';
  const { stream_id } = world.general;
  const { id } = await world.call(send, world.owner, {
    type: 'channel',
    to: stream_id,
    topic: 'doc/😀b',
    content,
  });
  const message = world.entries
    .flatMap(({ content }) => content.writes)
    .filter((write) => write.key.collection === 'message' && write.op !== 'delete')
    .map((write) => (write as { document: Body }).document)
    .find((document) => document.id === id);
  t.match(message, {
    rendered_content: [
      '<p><a href="https://d.example.com/%F0%9F%98%80">doc/😀b</a> <strong>bold</strong>',
      '<span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span></p>',
    ].join(' '),
    topic_links: [{ text: 'doc/😀b', url: 'https://d.example.com/%F0%9F%98%80' }],
  });
});
