import t from 'tap';
import {
  estimateGuesses,
  isAcceptablePassword,
} from '../../../../src/services/auth/password-strength.js';

void t.test('length is counted in code points, 8 to 100', async (t) => {
  t.notOk(isAcceptablePassword('xK7#qPz'), 'seven');
  t.ok(isAcceptablePassword('xK7#qPz4'), 'eight');
  t.notOk(isAcceptablePassword('🦊🐙🐢🦉'), 'four code points in eight units');
  t.ok(isAcceptablePassword('kD4!'.repeat(25)), 'a hundred');
  t.notOk(isAcceptablePassword(`${'kD4!'.repeat(25)}x`), 'a hundred and one');
});

void t.test('what attackers try first is refused', async (t) => {
  for (const poor of [
    'password',
    'Password1',
    'qwertyuiop',
    '12345678',
    'aaaaaaaaaaaa',
    'abcdefgh',
  ]) {
    t.notOk(isAcceptablePassword(poor), poor);
  }
});

void t.test("the user's own name and address do not count", async (t) => {
  const own = ['iago.example@zulip.test', 'Iago Example'];
  t.notOk(isAcceptablePassword('iagoexample1', own));
  t.ok(isAcceptablePassword('iagoexample1'), 'but would for somebody else');
});

void t.test('a longer password is never easier', async (t) => {
  t.ok(estimateGuesses('tr0ub4dor') > estimateGuesses('tr0ub4'));
  t.equal(Math.round(estimateGuesses('aaaa')), 26 * 4);
});
