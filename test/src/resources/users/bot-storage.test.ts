import t from 'tap';
import type { Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

void t.test('what a bot stores it reads again, until it removes it', async (t) => {
  const world = new World();
  const bot = await world.bot(world.hamlet, 'Echo');
  const put = (storage: Body) => world.do('update-bot-storage', { storage }, bot);
  const get = async (params: Body = {}) => (await world.do('get-bot-storage', params, bot)).storage;
  t.strictSame(await get(), {});
  await put({ a: '1', b: '2' });
  await put({ b: '3', ['__proto__x']: '4' });
  t.strictSame(await get(), { a: '1', b: '3', ['__proto__x']: '4' });
  t.strictSame(await get({ keys: ['b'] }), { b: '3' });
  t.strictSame(world.reloaded().botStorage.get(bot.user_id)?.storage.a, '1');
  await t.rejects(get({ keys: ['toString'] }), refused('Key does not exist.'));
  await world.do('remove-bot-storage', { keys: ['a'] }, bot);
  await t.rejects(
    world.do('remove-bot-storage', { keys: ['a', 'b'] }, bot),
    refused('Key does not exist.'),
  );
  t.strictSame(await get(), { b: '3', ['__proto__x']: '4' });
  await world.do('remove-bot-storage', {}, bot);
  t.strictSame(await get(), {});
  t.notOk(world.org.botStorage.has(bot.user_id));
});

void t.test('the storage of a bot is bounded', async (t) => {
  const world = new World();
  const bot = await world.bot(world.hamlet, 'Echo');
  const put = (storage: Body) => world.do('update-bot-storage', { storage }, bot);
  await put({ a: 'é'.repeat(499_999) });
  await t.rejects(
    put({ bc: '1' }),
    refused(
      'Cannot set state. Request would require 1000002 bytes storage. ' +
        'The current storage limit is 1000000.',
    ),
  );
  await put({ b: '' });
  await world.do('remove-bot-storage', {}, bot);
  await put({ b: '' });
  const keys = (count: number, prefix: string): Body =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, '']));
  await t.rejects(put(keys(10_000, 'k')), refused('Too many keys (maximum 10000).'));
  await put(keys(9_999, 'k'));
  await put({ k0: '1' });
  await t.rejects(put({ one: '' }), refused('Too many keys (maximum 10000).'));
  await t.rejects(put(keys(10_001, 'x')), refused('Too many keys (maximum 10000).'));
});
