import t from 'tap';
import { isWellFormedKey } from '../../../../src/services/auth/api-keys.js';
import { LinkKeys, linkKeyHash } from '../../../../src/services/auth/link-keys.js';

const keys = new LinkKeys(Buffer.alloc(32, 7));

void t.test('keys are long, well-formed and follow from the nonce alone', async (t) => {
  const made = Array.from({ length: 100 }, () => keys.create());
  t.equal(new Set(made.map((one) => one.nonce)).size, 100);
  for (const { nonce, key_hash } of made) {
    const key = keys.key(nonce);
    t.ok(isWellFormedKey(key));
    t.ok(key.length >= 24);
    t.equal(linkKeyHash(key), key_hash);
    t.notOk(key_hash.includes(key));
  }
});

void t.test('another secret makes other keys', async (t) => {
  t.not(new LinkKeys(Buffer.alloc(32, 8)).key('n'), keys.key('n'));
});

void t.test('a text of another length or of other characters is no key', async (t) => {
  for (const text of ['', 'x', 'x'.repeat(31), 'x'.repeat(33), `${'x'.repeat(31)}-`]) {
    t.notOk(isWellFormedKey(text), text);
  }
});
