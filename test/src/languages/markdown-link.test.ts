import { Parser } from 'htmlparser2';
import t from 'tap';
import { textsOfAttachments } from '../../../src/transfer/import/mattermost/mattermost-text.js';
import { textOfBlocks } from '../../../src/transfer/import/slack/slack-blocks.js';
import { markdownOf } from '../../../src/transfer/import/slack/slack-text.js';
import { markdownLink } from '../../../src/languages/markdown-link.js';
import { marked } from '../../../src/services/hooks/slack-incoming.js';
import { link } from '../../../src/services/hooks/wording.js';
import { htmlToMarkdown } from '../../../src/services/incoming-mail/html-to-markdown.js';
import { linkOrWords } from '../../../src/services/markdown/links.js';
import { randomOfRun } from '../../system/harness/scale.js';
import { html } from '../services/markdown/fixtures.js';

interface Link {
  readonly href: string;
  readonly text: string;
}

/** The links of HTML, as a browser takes them. */
function linksOf(source: string): Link[] {
  const found: { href: string; text: string }[] = [];
  let open = false;
  const parser = new Parser({
    onopentag: (name, { href = '' }) => {
      if (name !== 'a') return;
      found.push({ href, text: '' });
      open = true;
    },
    ontext: (text) => {
      if (open) found.at(-1)!.text += text;
    },
    onclosetag: (name) => {
      if (name === 'a') open = false;
    },
  });
  parser.end(source);
  return found.map(({ href, text }) => ({ href, text: text.replaceAll('\u200b', '') }));
}

/** What a reference to `address` is by RFC 3986: what may not stand in one is escaped as UTF-8. */
function written(address: string): string {
  return address
    .trim()
    .replace(/[\t\n\r]/g, '')
    .replace(/%(?![\da-f]{2})|[^\w.~:/?#@!$&'()*+,;=%-]/giu, (sign) =>
      /[!'()*]/.test(sign) ? sign : encodeURIComponent(sign),
    );
}

const LABEL =
  'a|be|ü|日| |\n|*|**|***|`|``|```|~|~~|$|$$|[|]|](|![|(|)|<|>|\\|&|&amp;|&#42;|_|__|#|@|@**Othello**|@*core*|"|\'|#**my team**|<time:2026-01-01T00:00:00Z>|https://y.example/|b.org|<b>|&lt;|!|](https://evil.example)|^|{|}|-|+|1.'.split(
    '|',
  );
const ADDRESS =
  'a|b|/|(|)|(c)| |\n|<|>|"|\'|`|``|*|**|_|~~|$$|[|]|](|\\|&|&amp;|&copy;|&#42;|%|%20|%2|#|?|=|;|:|@|ü|日|^|{|}|!|.|,|+|@**Othello**|||'.split(
    '|',
  );

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const inQuotes = (text: string): string => escaped(text).replaceAll('"', '&quot;');
const NAMES = { user: () => undefined, channel: () => undefined };
const unknown = (): void => undefined;

/** All places that write links of words and addresses that somebody else chose. */
const PLACES: Readonly<Record<string, (words: string, address: string) => string>> = {
  'the function': markdownLink,
  'an import': linkOrWords,
  'a hook': link,
  'a hook for Slack': (words, address) =>
    marked(`*see* <${escaped(address)}|${escaped(words)}> _and_ \`x\``),
  'a hook for Slack, without words where they are the address': (words, address) =>
    marked(words === address ? `<${escaped(address)}>` : `<${escaped(address)}|${escaped(words)}>`),
  'a mail': (words, address) =>
    htmlToMarkdown(`<p>see <a href="${inQuotes(address)}">${escaped(words)}</a></p>`, false),
  'a picture of a mail': (words, address) =>
    htmlToMarkdown(`<img alt="${inQuotes(words)}" src="${inQuotes(address)}">`, false),
  'a linked picture of a mail': (words, address) =>
    htmlToMarkdown(
      `<a href="${inQuotes(address)}"><img alt="${inQuotes(words)}" src="https://p.example/"></a>`,
      false,
    ),
  'a message of Slack': (words, address) =>
    markdownOf(
      `*see* <${escaped(address).replaceAll('|', '%7C')}|${escaped(words)}> _and_ \`x\``,
      NAMES,
    ),
  "a link of Slack's editor": (text, url) => {
    const section = { type: 'rich_text_section', elements: [{ type: 'link', text, url }] };
    const blocks = [{ type: 'rich_text', elements: [section] }];
    return markdownOf(textOfBlocks(blocks, unknown), NAMES);
  },
  'an attachment of Mattermost': (title, title_link) =>
    textsOfAttachments({ attachments: [{ title, title_link }] }, unknown)[0]!,
};

/** For each place: a rendering takes some three milliseconds. */
const DRAWN = 80;

/** What stands around a link: each mark here would find its partner in the link. */
const AROUND = (link: string): string => `\`a\` *b $$x (${link}) c* d] \`e\` ~~f~~ $$x $$ )`;

void t.test('drawn words and addresses are the text and the href of what is rendered', (t) => {
  const random = randomOfRun(t);
  const draw = (parts: readonly string[], most: number): string => {
    let text = '';
    for (let n = random() * most; n > 0; n--) text += parts[Math.floor(random() * parts.length)]!;
    return text;
  };
  for (const [place, writtenBy] of Object.entries(PLACES)) {
    const wrong: unknown[] = [];
    for (let i = 0; i < DRAWN; i++) {
      const address = `https://x.example/${draw(ADDRESS, 7)}`;
      // Also a link that shows its own address, as many mails and tools write it.
      const words = i % 3 === 0 ? address : `w${draw(LABEL, 7)}w`;
      const markdown = writtenBy(words, address);
      const [found, ...others] = linksOf(html(AROUND(markdown)));
      const right = { href: written(address), text: words.replace(/\s+/g, ' ').trim() };
      if (found?.href === right.href && found.text === right.text && others.length === 0) continue;
      wrong.push({ words, address, markdown, found, right });
    }
    t.same(wrong.slice(0, 3), [], `${place}: ${wrong.length}`);
  }
  t.end();
});

void t.test(
  'links are written as one who types them would, but where they would end early',
  async (t) => {
    for (const [words, address, markdown] of [
      ['a [b] c', 'https://x.example/a_b?c=1&d=2', '[a [b] c](https://x.example/a_b?c=1&d=2)'],
      ['a] b', 'https://x.example/Go_(game)', '[a&#93; b](<https://x.example/Go_(game)>)'],
      ['a\n b', ' https://x.example/a b<c>\n', '[a b](https://x.example/a%20b%3Cc%3E)'],
      ['`a` \\', '/user_uploads/1/ab/x.png', '[&#96;a&#96; &#92;](/user_uploads/1/ab/x.png)'],
      ['words', '', 'words'],
    ] as const) {
      t.equal(markdownLink(words, address), markdown);
    }
  },
);

void t.test('an import keeps an address in sight to which no message may link', async (t) => {
  for (const [words, address, markdown] of [
    ['plan', 'file:///srv/plan', 'plan (file:///srv/plan)'],
    ['go', 'java\nscript:alert(1)', 'go (java\nscript:alert(1))'],
    ['', 'https://x.example/a_b', 'https://x.example/a_b'],
    ['', 'https://x.example/a(b', '[https&#58;//x.example/a(b](<https://x.example/a(b>)'],
    ['x', '', 'x'],
  ] as const) {
    const written = linkOrWords(words, address);
    t.equal(written, markdown);
    for (const { href } of linksOf(html(written))) t.match(href, /^https:/);
  }
});
