import mailchecker from 'mailchecker';
import t from 'tap';
import { isDisposableAddress } from '../../../../src/services/text/disposable-domains.js';

void t.test('throw-away mailboxes are known, also on subdomains and in any case', async (t) => {
  for (const email of ['a@mailinator.com', 'a@MAILINATOR.com', 'a@x.y.mailinator.com']) {
    t.ok(isDisposableAddress(email), email);
  }
  for (const email of ['a@example.org', 'a@gmail.com', 'a@nomailinator.example', 'a@localhost']) {
    t.notOk(isDisposableAddress(email), email);
  }
});

void t.test('every domain of the list is found, and nothing beside one', async (t) => {
  const domains = mailchecker.blacklist();
  t.ok(domains.size > 50_000);
  const missing = [...domains].filter((domain) => !isDisposableAddress(`a@${domain}`));
  t.same(missing, []);
  const beside = [...domains].map((domain) => `${domain.slice(0, -1)}!`);
  t.same(
    beside.filter((domain) => isDisposableAddress(`a@${domain}`)),
    [],
  );
  for (const domain of ['', '!', '~', '"', '","', 'new Set']) {
    t.notOk(isDisposableAddress(`a@${domain}`), domain);
  }
});
