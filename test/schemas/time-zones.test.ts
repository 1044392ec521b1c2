import t from 'tap';
import { isTimeZone } from '../../schemas/time-zones.js';

void t.test('both spellings of renamed zones are known', async (t) => {
  const pairs = [
    ['Asia/Kolkata', 'Asia/Calcutta'],
    ['Europe/Kyiv', 'Europe/Kiev'],
    ['America/Argentina/Buenos_Aires', 'America/Buenos_Aires'],
    ['Asia/Ho_Chi_Minh', 'Asia/Saigon'],
    ['America/Nuuk', 'America/Godthab'],
  ] as const;
  for (const [today, before] of pairs) {
    t.ok(isTimeZone(today), today);
    t.ok(isTimeZone(before), before);
  }
});

void t.test('UTC, common links and the empty text are known', async (t) => {
  for (const name of ['', 'UTC', 'Etc/UTC', 'GMT', 'US/Eastern', 'Europe/Berlin']) {
    t.ok(isTimeZone(name), name);
  }
});

void t.test('everything the engine lists is known', async (t) => {
  t.same(
    Intl.supportedValuesOf('timeZone').filter((name) => !isTimeZone(name)),
    [],
  );
});

void t.test('other texts are not zones, nor names in another spelling', async (t) => {
  for (const name of ['utc', 'europe/berlin', '+01:00', 'Mars/Base', ' UTC', 'constructor']) {
    t.notOk(isTimeZone(name), name);
  }
});
