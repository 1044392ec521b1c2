import { isDeepStrictEqual } from 'node:util';
import MarkdownParser from 'markdown-it';
import t from 'tap';
import { quickTokens } from '../../../../src/services/markdown/quick-tokens.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { hostileMarkdown } from './hostile-texts.js';

void t.test('tokens made quickly are those of the library', async (t) => {
  const options = { breaks: true, linkify: true };
  const library = new MarkdownParser(options);
  const quick = new MarkdownParser(options).use(quickTokens);
  const random = randomOfRun(t);
  const faults: string[] = [];
  for (let i = 0; i < scaled(2000, 100_000); i++) {
    const source = hostileMarkdown(random);
    const [expected, tokens] = [library.parse(source, {}), quick.parse(source, {})];
    if (!isDeepStrictEqual(tokens, expected)) faults.push(source);
  }
  t.strictSame(faults, []);
  t.same(
    quick.render('**a** [b](https://x.com) `c`'),
    library.render('**a** [b](https://x.com) `c`'),
  );
  t.ok(quick.parse('a', {}).every((token) => token instanceof MarkdownParser.Token));
});
