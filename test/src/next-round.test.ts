import t from 'tap';
import { atEndOfRound, inNextRound } from '../../src/next-round.js';

void t.test(
  'work at the end of a round comes after all of the round, and before the next',
  async (t) => {
    const done: string[] = [];
    const over = new Promise<void>((resolve) => {
      inNextRound(() => {
        done.push('first');
        setImmediate(() => {
          done.push('next round');
          resolve();
        });
        atEndOfRound(() => {
          done.push('end');
          atEndOfRound(() => done.push('after the end'));
        });
      });
      inNextRound(() => done.push('second'));
    });
    atEndOfRound(() => done.push('outside'));
    t.same(done, [], 'never at once');
    await over;
    t.same(done, ['first', 'second', 'end', 'outside', 'next round']);
    await new Promise(setImmediate);
    t.same(done.slice(5), ['after the end'], 'what comes at the end is not part of it');
  },
);

void t.test('the end of a round comes although its work throws', async (t) => {
  const done: string[] = [];
  const thrown = new Promise((resolve) => process.once('uncaughtException', resolve));
  inNextRound(() => {
    atEndOfRound(() => done.push('end'));
    throw new Error('that must not be');
  });
  t.match(await thrown, { message: 'that must not be' });
  t.same(done, ['end']);
  atEndOfRound(() => done.push('later'));
  t.same(done, ['end'], 'outside again');
});
