import t from 'tap';
import * as descriptors from '../../../../schemas/realm/playgrounds.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

const PLAYGROUND = {
  name: 'Try it',
  pygments_language: 'C++',
  url_template: 'https://play.example/?code={code}',
};

void t.test('a playground is added and removed; everybody gets all of them', async (t) => {
  const world = new MessagesWorld();
  const { owner, ophelia } = world;
  t.same(await world.do('add-code-playground', PLAYGROUND, owner), { id: 1 });
  const first = { id: 1, ...PLAYGROUND };
  t.same(world.seen(ophelia), [{ type: 'realm_playgrounds', realm_playgrounds: [first] }]);
  const other = { ...PLAYGROUND, name: ' Other ' };
  await world.do('add-code-playground', other, owner);
  const second = { id: 2, ...PLAYGROUND, name: 'Other' };
  t.same(world.seen(ophelia), [{ type: 'realm_playgrounds', realm_playgrounds: [first, second] }]);
  t.same(await world.do('remove-code-playground', { playground_id: 1 }, owner), {});
  t.same(world.seen(ophelia), [{ type: 'realm_playgrounds', realm_playgrounds: [second] }]);
  t.same([...world.reloaded().playgrounds.values()], [second], 'there after a restart');
});

void t.test('playgrounds are refused in the words of the contract', async (t) => {
  const world = new MessagesWorld();
  const { owner } = world;
  const add = (params: object) =>
    world.refused('add-code-playground', { ...PLAYGROUND, ...params }, owner);
  t.equal(await add({ pygments_language: '$lang' }), 'Invalid characters in pygments language');
  t.equal(await add({ name: ' ' }), 'name cannot be blank');
  t.equal(await add({ name: 'Rust\u200b' }), 'Invalid character in name, at position 5!');
  t.equal(await add({ pygments_language: ' ' }), 'pygments_language cannot be blank');
  for (const url_template of ['https://x.example/{', 'javascript:{code}', '']) {
    t.equal(await add({ url_template }), 'Invalid URL template.', url_template);
  }
  t.equal(
    await add({ url_template: 'https://x.example/{text}' }),
    'Missing the required variable "code" in the URL template',
  );
  t.equal(
    await add({ url_template: 'https://x.example/{text}/{code}' }),
    '"code" should be the only variable present in the URL template',
  );
  await world.do('add-code-playground', PLAYGROUND, owner);
  t.equal(await add({}), 'A playground of this name exists for the language.');
  t.equal(
    await world.refused('remove-code-playground', { playground_id: 9 }, owner),
    'Invalid playground',
  );
  for (const one of Object.values(descriptors)) {
    if ('access' in one) t.equal(one.access, 'administrator');
  }
});
