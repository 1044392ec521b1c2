import t from 'tap';
import {
  fingerprintOf,
  isFingerprintOf,
} from '../../../../src/services/auth/secret-fingerprint.js';

const SECRET = Buffer.alloc(32, 7);

void t.test('a fingerprint tells a secret from another', async (t) => {
  const known = fingerprintOf(SECRET);
  t.ok(isFingerprintOf(SECRET, known));
  t.notOk(isFingerprintOf(Buffer.alloc(32, 8), known));
  t.notOk(isFingerprintOf(SECRET, { ...known, salt: `${known.salt}0` }));
  t.notOk(isFingerprintOf(SECRET, { ...known, fingerprint: 'short' }));
});

void t.test('it does not hold the secret, and is another one each time', async (t) => {
  const known = fingerprintOf(SECRET);
  t.match(known, { salt: /^[0-9a-f]{32}$/, fingerprint: /^[0-9a-f]{64}$/ });
  t.notMatch(JSON.stringify(known), SECRET.toString('hex'));
  const other = fingerprintOf(SECRET);
  t.not(other.salt, known.salt);
  t.not(other.fingerprint, known.fingerprint);
});
