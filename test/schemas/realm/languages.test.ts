import t from 'tap';
import { isLanguage, languageName, LANGUAGES } from '../../../schemas/realm/languages.js';

void t.test('languages have English names and lower-case codes', async (t) => {
  t.ok(Object.keys(LANGUAGES).length >= 30);
  for (const [code, name] of Object.entries(LANGUAGES)) {
    t.match(code, /^[a-z]{2}(-[a-z]+)?$/);
    t.match(name, /^[A-Z]/);
  }
  t.equal(new Set(Object.values(LANGUAGES)).size, Object.keys(LANGUAGES).length);
});

void t.test('unknown languages are unknown, whatever an object inherits', async (t) => {
  t.ok(isLanguage('en'));
  t.equal(languageName('de'), 'German');
  t.notOk(isLanguage('DE'));
  t.notOk(isLanguage(''));
  t.notOk(isLanguage('constructor'));
  t.equal(languageName('constructor'), undefined);
});
