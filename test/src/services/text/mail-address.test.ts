import t from 'tap';
import { domainOf } from '../../../../src/services/text/mail-address.js';

void t.test('the domain stands behind the last @, in any case', (t) => {
  t.equal(domainOf('Ann@Example.ORG'), 'example.org');
  t.equal(domainOf('"a@b"@c.test'), 'c.test');
  t.end();
});
