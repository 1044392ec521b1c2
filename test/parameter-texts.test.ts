import t from 'tap';
import { ALL_ENDPOINTS } from '../schemas/endpoints.js';
import { parameterText } from '../schemas/openapi/parameter-text.js';
import { ALL_TEXTS } from '../schemas/openapi/saying.js';

/** Words of a text, without what every description has. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.filter((word) => !['a', 'an', 'the', 'of', 'id', 'name', 'value'].includes(word));
}

void t.test('every parameter is described in words of its own', (t) => {
  for (const { operation, params } of ALL_ENDPOINTS) {
    for (const [name, param] of Object.entries(params)) {
      const text = parameterText(operation, name, param);
      if (text === undefined) {
        t.fail(`${operation}.${name} is not described`);
        continue;
      }
      const own = new Set(wordsOf(name.replaceAll('_', ' ')));
      const more = wordsOf(text).filter((word) => !own.has(word));
      if (new Set(more).size < 2) t.fail(`${operation}.${name} only repeats its name: ${text}`);
      if (!param.description && !/[.!?]$/.test(text))
        t.fail(`${operation}.${name} is no sentence: ${text}`);
    }
  }
  t.end();
});

void t.test('each text is about a parameter, and no two files explain the same', (t) => {
  const used = new Set(
    ALL_ENDPOINTS.flatMap(({ operation, params }) =>
      Object.entries(params)
        .filter(([, param]) => param.description === undefined)
        .flatMap(([name]) => [`${operation}.${name}`, name]),
    ),
  );
  const keys = ALL_TEXTS.flatMap((texts) => Object.keys(texts));
  t.same(
    keys.filter((key) => !used.has(key)),
    [],
    'of nothing',
  );
  t.same(
    keys.filter((key, i) => keys.indexOf(key) !== i),
    [],
    'twice',
  );
  t.end();
});
