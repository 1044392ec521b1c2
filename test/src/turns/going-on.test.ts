import t from 'tap';
import { whileItGoesOn } from '../../../src/turns/going-on.js';
import { clock, useClockOfWork, work } from './clock-of-work.js';

/** Begins something that goes on for so many reactions to promises, and then works for so long. */
function begins(done: string[], name: string, ms: number, reactions = 20): () => () => boolean {
  return () => {
    let isOver = false;
    const goOn = async (): Promise<void> => {
      for (let i = 0; i < reactions; i++) await Promise.resolve();
      work(ms);
      isOver = true;
      done.push(name);
    };
    void goOn();
    return () => isOver;
  };
}

void t.test(
  'what goes on is over before the next piece begins; a round has a stretch of it',
  async (t) => {
    useClockOfWork(t);
    const done: string[] = [];
    const rounds: number[] = [];
    for (let i = 0; i < 7; i++) whileItGoesOn(begins(done, `mine ${i}`, 3), 1);
    whileItGoesOn(begins(done, 'yours', 3), 2);
    while (done.length < 8) {
      const before = clock.now;
      await new Promise(setImmediate);
      if (clock.now > before) rounds.push(clock.now - before);
    }
    t.same(rounds, [9, 9, 6], 'a piece begins while less than eight milliseconds are over');
    t.same(done.slice(0, 3), ['mine 0', 'yours', 'mine 1'], 'accounts take turns');
    t.equal(done.length, 8);
  },
);

void t.test('what waits for something outside is not waited for', async (t) => {
  const done: string[] = [];
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  whileItGoesOn(() => {
    void answered.then(() => done.push('what waited'));
    return () => false;
  });
  whileItGoesOn(begins(done, 'the next one', 0));
  while (done.length < 1) await new Promise(setImmediate);
  answer();
  await answered;
  t.same(done, ['the next one', 'what waited']);
});
