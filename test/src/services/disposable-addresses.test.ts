import t from 'tap';
import { isDisposableAddress } from '../../../src/services/disposable-addresses.js';

void t.test('throw-away mailboxes, also on subdomains and in any case', async (t) => {
  for (const email of ['a@mailinator.com', 'a@MAILINATOR.com', 'a@x.y.mailinator.com']) {
    t.ok(isDisposableAddress(email), email);
  }
  for (const email of ['a@example.org', 'a@gmail.com', 'a@nomailinator.example', 'a@localhost']) {
    t.notOk(isDisposableAddress(email), email);
  }
});
