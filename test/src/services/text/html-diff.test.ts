import fc from 'fast-check';
import t from 'tap';
import sanitizeHtml from 'sanitize-html';
import { htmlDiff } from '../../../../src/services/text/html-diff.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { costsLess, processorTime } from '../../../fixtures/machine-load.js';

const markdown = createMarkdown();
const directory = {
  userByName: () => undefined,
  userById: () => undefined,
  groupByName: () => undefined,
  channelByName: () => undefined,
  translateEmoticons: false,
  defaultCodeLanguage: '',
};
const rendered = (source: string) => markdown.render(source, directory).html;
const inserted = (text: string) => `<span class="highlight_text_inserted">${text}</span>`;
const deleted = (text: string) => `<span class="highlight_text_deleted">${text}</span>`;

// [c:html-diff]
void t.test('words that are gone and words that are new are marked', async (t) => {
  t.equal(
    htmlDiff(rendered('one two three'), rendered('one 2 three')),
    `<p>one ${deleted('two')}${inserted('2')} three</p>`,
  );
  t.equal(
    htmlDiff(rendered('hello'), rendered('hello world')),
    `<p>hello${inserted(' world')}</p>`,
  );
  t.equal(htmlDiff(rendered('hello world'), rendered('hello')), `<p>hello${deleted(' world')}</p>`);
  t.equal(htmlDiff(rendered('same'), rendered('same')), '<p>same</p>');
});

void t.test('tags are the newer message, and are never marked', async (t) => {
  t.equal(
    htmlDiff(rendered('plain text'), rendered('**plain** text')),
    '<p><strong>plain</strong> text</p>',
  );
  t.equal(
    htmlDiff(rendered('* a\n* b'), rendered('* a')),
    `<ul>\n<li>a</li>\n${deleted('b\n')}</ul>`,
  );
  t.match(htmlDiff(rendered('a'), rendered(':smile:')), inserted('').replace('</span>', ''));
});

void t.test('what looks like a tag in the text stays text', async (t) => {
  const html = htmlDiff(rendered('a'), rendered('<script>alert(1)</script> &amp;'));
  t.notMatch(html, '<script');
  t.match(html, '&lt;script');
});

void t.test('very different messages are shown as one gone and one new', async (t) => {
  const words = (prefix: string) => Array.from({ length: 3000 }, (_, i) => prefix + i).join(' ');
  const html = htmlDiff(rendered(words('a')), rendered(words('b')));
  t.equal(html, `${deleted(words('a'))}<p>${inserted(words('b'))}</p>`);
});

void t.test('any two messages give well-formed HTML with the text of the newer one', () => {
  const text = fc.string({ unit: fc.constantFrom(...'ab *_`>\n#-:<&~[]()|1.'), maxLength: 60 });
  const textOf = (html: string) => sanitizeHtml(html, { allowedTags: [], allowedAttributes: {} });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const newer = rendered(after);
      const html = htmlDiff(rendered(before), newer);
      const kept = html.replace(/<span class="highlight_text_deleted">.*?<\/span>/gs, '');
      const plain = kept.replace(/<span class="highlight_text_inserted">(.*?)<\/span>/gs, '$1');
      return textOf(plain) === textOf(newer);
    }),
    { numRuns: 300 },
  );
  return Promise.resolve();
});

void t.test('texts that have nothing in common take little longer than equal ones', async (t) => {
  const numbered = (prefix: string): string =>
    `<p>${Array.from({ length: 1500 }, (_, i) => `${prefix}${i}`).join(' ')}</p>`;
  const cost = (before: string, after: string) => (): number =>
    processorTime(() => {
      for (let i = 0; i < 10; i++) htmlDiff(before, after);
    });
  const a = numbered('a');
  // It was ten times as long.
  await costsLess(t, 3, cost(a, numbered('b')), cost(a, a));
});
