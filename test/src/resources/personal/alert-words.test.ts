import t from 'tap';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { personalWorld } from '../../../fixtures/personal-world.js';

// [c:alert-words-events]
void t.test('alert words: "the user’s clients when their alert words change"', async (t) => {
  const world = personalWorld();
  const add = (...alert_words: string[]) => world.do('add-alert-words', { alert_words });
  const remove = (...alert_words: string[]) => world.do('remove-alert-words', { alert_words });
  t.strictSame(await add(' Fire ', '', 'fire', 'C++'), { alert_words: ['Fire', 'C++'] });
  t.strictSame(world.received(world.ophelia, world.mark), [], 'others learn nothing');
  t.strictSame(world.newEvents(), [{ type: 'alert_words', alert_words: ['Fire', 'C++'] }]);
  await add('FIRE');
  await remove('water');
  t.strictSame(world.newEvents(), [], 'nothing changed');
  const send = handlerOf(messageHandlers(createMarkdown()), 'send-message');
  const say = (content: string) =>
    world.call(send, world.ophelia, { type: 'channel', to: 'general', topic: 'x', content });
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
  t.strictSame(world.newEvents(), [{ type: 'alert_words', alert_words: [] }]);
  t.strictSame(await world.do('get-alert-words'), { alert_words: [] });
  t.equal(world.reloaded().alertWords.size, 0);
});

// [c:alert-words-whole]
void t.test('alert words are found as whole words, whatever they begin and end with', async (t) => {
  const world = personalWorld();
  const cases: readonly (readonly [word: string, found: string[], not: string[]])[] = [
    [
      'c++',
      ['c++', 'C++, and', '(c++)', 'c++/c', 'use c++', 'c++.'],
      ['c++11', 'c++x', 'xc++', 'c+', 'c+++', 'c++_', '_c++'],
    ],
    [
      '.net',
      ['.net', 'a .NET', '(.net)'],
      ['asp.net', '.network', '1.net', 'net', '𝒜.net', '..net', '.net_', '_.net'],
    ],
    ['++', ['++', 'a ++', '(++)'], ['c++', '++i', 'i++j', '+++']],
    ['c#', ['c#', 'c#.'], ['c#x', 'abc#', 'c#3', 'c##']],
    ['@home', ['@home', 'go @home!'], ['me@home', '@homes']],
    [
      'fire',
      ['fire', 'fire!', '*fire*', 'fire!!'],
      ['firefly', 'afire', 'fire1', 'fire𝒜', 'fire_drill', 'camp_fire', 'fire\u0301'],
    ],
    ['cafe\u0301', ['café', 'CAFE\u0301!', 'cafe\u0301'], ['cafe', 'cafés']],
    ['über', ['u\u0308ber', 'U\u0308BER'], ['uber']],
    ['$5 off', ['get $5 off.'], ['US$5 off', '$5 office']],
    ['🎉', ['🎉', 'done 🎉!', '🎉🎉'], ['done🎉']],
  ];
  for (const [word, found, not] of cases) {
    await world.do('add-alert-words', { alert_words: [word] });
    const alerts = (text: string) =>
      world.org.alertWords.matching(text, [world.hamlet.user_id]).length > 0;
    for (const text of found) t.ok(alerts(text), `${word} in ${text}`);
    for (const text of not) t.notOk(alerts(text), `${word} not in ${text}`);
    await world.do('remove-alert-words', { alert_words: [word] });
  }
});
