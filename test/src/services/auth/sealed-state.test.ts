import t from 'tap';
import { mobileLogin, isPad } from '../../../../src/services/auth/mobile-login.js';
import { SealedState } from '../../../../src/services/auth/sealed-state.js';

const secret = Buffer.alloc(32, 7);

void t.test('what was sealed here is opened here, in time', async (t) => {
  const sealed = new SealedState(secret, 'login');
  const text = sealed.seal({ verifier: 'abc' }, 1000);
  t.match(text, /^[\w-]+$/);
  t.notMatch(Buffer.from(text, 'base64url').toString('latin1'), 'abc');
  t.not(sealed.seal({ verifier: 'abc' }, 1000), text);
  t.strictSame(new SealedState(secret, 'login').open(text, 999), { verifier: 'abc' });
  t.equal(sealed.open(text, 1000), null, 'too old');
  t.equal(new SealedState(Buffer.alloc(32, 8), 'login').open(text, 0), null, 'another secret');
  t.equal(new SealedState(secret, 'other').open(text, 0), null, 'another purpose');
  const bytes = Buffer.from(text, 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i]! ^= 1;
    if (sealed.open(changed.toString('base64url'), 0) !== null) t.fail(`byte ${i} may change`);
  }
  for (const other of ['', 'x', '!', 'A'.repeat(38), 'A'.repeat(5000)]) {
    t.equal(sealed.open(other, 0), null);
  }
});

void t.test('a key is XORed with the pad of the app, as hexadecimal', async (t) => {
  t.equal(isPad('0f'.repeat(32)), true);
  t.equal(isPad('0f'.repeat(31)), false);
  t.equal(isPad(`${'0f'.repeat(31)}0g`), false);
  const key = 'abcdefghijklmnopqrstuvwxyz012345';
  const user = { email: 'h+x@example.org', user_id: 7 };
  t.equal(
    mobileLogin('https://chat.example.org', user, key, `ff${'00'.repeat(31)}`),
    'zulip://login?realm=https%3A%2F%2Fchat.example.org&email=h%2Bx%40example.org&user_id=7' +
      '&otp_encrypted_api_key=9e62636465666768696a6b6c6d6e6f707172737475767778797a303132333435',
  );
});
