import t from 'tap';
import { countOf, everyMs, intendedMs, isRate, steadyPace } from '../../../bench/exchange/pace.js';

void t.test('a rate that grows makes the area below it, and goes on as it ends', async (t) => {
  const pace = [
    { seconds: 2, from: 0, to: 100 },
    { seconds: 1, from: 100, to: 100 },
  ];
  t.equal(countOf(pace), 200);
  t.equal(intendedMs(pace, 0), 0);
  t.equal(intendedMs(pace, 25), 1000, 'half of the time makes a quarter');
  t.equal(intendedMs(pace, 100), 2000);
  t.equal(intendedMs(pace, 150), 2500);
  t.equal(intendedMs(pace, 300), 4000, 'beyond the last stage');
  const falling = [{ seconds: 2, from: 100, to: 0 }];
  t.equal(intendedMs(falling, 75), 1000);
});

void t.test('a steady rate has even distances; all at once is none', async (t) => {
  t.equal(intendedMs(steadyPace(50), 7), 140);
  t.equal(intendedMs(everyMs(8), 3), 24);
  t.ok(intendedMs(everyMs(0), 1000) < 1);
  t.ok(isRate(steadyPace(50)));
  t.notOk(isRate(everyMs(0)));
});
