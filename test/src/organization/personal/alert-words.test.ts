import t from 'tap';
import { UnitOfWork } from '../../../../src/organization/state/collection.js';
import { AlertWordCollection } from '../../../../src/organization/state/collections/users.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

function collection(words: Record<number, string[]>): AlertWordCollection {
  const all = new AlertWordCollection(new UnitOfWork());
  for (const [id, list] of Object.entries(words)) all.load({ user_id: Number(id), words: list });
  return all;
}

void t.test('words are found in any case, and not inside of longer ones', async (t) => {
  const all = collection({ 1: ['Fire'], 2: ['red alert', 'C++'], 3: ['++'], 4: ['ärger'] });
  const users = [4, 3, 2, 1];
  const cases: [string, number[]][] = [
    ['fire!', [1]],
    ['a FIRE, now', [1]],
    ['campfire firefly', []],
    ['fire_works', []],
    ['**fire**', [1]],
    ['Red Alert', [2]],
    ['red  alert', []],
    ['red alerts', []],
    ['c++ is it', [2]],
    ['abc++', []],
    ['a ++ b', [3]],
    ['ÄRGER', [4]],
    ['', []],
    ['fire red alert ++', [1, 2, 3]],
  ];
  for (const [text, found] of cases) t.strictSame(all.matching(text, users), found, text);
  t.strictSame(all.matching('fire', [2, 3]), [], 'only who receives it');
});

void t.test('alert words that change match from then on, removed ones no more', async (t) => {
  const all = collection({ 1: ['fire', 'fire alarm'], 2: ['FIRE'] });
  t.strictSame(all.matching('fire', [1, 2]), [1, 2]);
  all.load({ user_id: 1, words: ['alarm'] });
  t.strictSame(all.matching('fire', [1, 2]), [2]);
  t.strictSame(all.matching('fire alarm', [1, 2]), [1, 2]);
  all.load({ user_id: 2, words: [] });
  t.strictSame(all.matching('fire alarm', [1, 2]), [1]);
});

void t.test('a message costs its own length, however many words there are', async (t) => {
  const words = Array.from({ length: 1000 }, (_, i) => `word${i} and more`);
  const users = Array.from({ length: 100 }, (_, i) => i);
  const all = collection(Object.fromEntries(users.map((id) => [id, words])));
  const text = 'word1 and less, word2 and most '.repeat(300);
  const match = (): void => {
    for (let i = 0; i < 20; i++) all.matching(text, users);
  };
  await takesLess(t, 'twenty messages', 2000, () => processorTime(match));
});
