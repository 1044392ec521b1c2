import t from 'tap';
import type { Fetched } from '../../../../src/services/outside/guarded-get.js';
import { pageFacts } from '../../../../src/services/outside/page-facts.js';
import { PageSummaries } from '../../../../src/services/outside/page-summaries.js';
import { PictureLinks } from '../../../../src/services/outside/picture-links.js';
import { processorTimeOf, takesLess } from '../../../fixtures/machine-load.js';

const links = new PictureLinks(Buffer.alloc(32, 3));
const og = (name: string, content: string): string =>
  `<meta property="og:${name}" content="${content}">`;

void t.test('what a page says of itself', async (t) => {
  t.same(
    await pageFacts(
      `<!doctype html><html><head><title>other</title>${og('title', 'A &amp; &lt;b&gt;')}` +
        `<meta name="description" content="other">${og('description', ' two\n lines ')}` +
        `${og('image', ' /a.png ')}${og('image', '/b.png')}</head>${og('title', 'late')}`,
    ),
    { title: 'A & <b>', description: 'two lines', image: '/a.png' },
  );
  t.same(await pageFacts('<TITLE>a &#x41;\n b</TITLE><META NAME=Description CONTENT=c>'), {
    title: 'a A b',
    description: 'c',
    image: '',
  });
  t.same(
    await pageFacts(`<title> </title>${og('title', '')}<body><title>x</title>${og('image', 'x')}`),
    {
      title: '',
      description: '',
      image: '',
    },
  );
  t.same(
    await pageFacts(
      `<script>"<meta property='og:title' content='a'>"</script><!-- ${og('title', 'b')} -->`,
    ),
    { title: '', description: '', image: '' },
  );
  const long = await pageFacts(
    og('title', '😀'.repeat(300)) + og('description', 'x '.repeat(9000)),
  );
  t.same([[...long.title].length, [...long.description].length], [200, 500]);
  t.match(long.title, /😀…$/u);
  const odd = `a\u202eb\u0007c${' '.repeat(792)}😀`;
  t.match(await pageFacts(og('title', odd)), { title: 'ab c' }, 'half a character is none');
});

void t.test('a page that is made to be dear delays nobody', async (t) => {
  const size = 256 * 1024;
  const repeated = (text: string): string =>
    text.repeat(Math.ceil(size / text.length)).slice(0, size);
  for (const text of [
    og('title', 'x'),
    '<a ',
    '<meta ',
    '<meta a=',
    '<meta property="og:title" content="',
    '&amp',
    '&#',
    '<',
    '<!--',
    '<script>',
    '<title>&lt;',
    '<svg><title>',
    '</a>',
    '<p><b>',
    '\0',
    '<meta x ',
  ]) {
    await takesLess(t, text, 400, async () => {
      let turns = 0;
      const others = setInterval(() => (turns += 1), 0);
      const took = await processorTimeOf(() => pageFacts(repeated(text)));
      clearInterval(others);
      t.ok(turns > 0 || took < 40, `${text}: others had ${turns} turns`);
      return took;
    });
  }
});

void t.test('the summary of a page is read from its head', async (t) => {
  const asked: string[] = [];
  const pages: Record<string, Partial<Fetched> & { html: string | Buffer }> = {
    'https://x.com/a': { html: og('title', 'A') + og('image', '../b.png?c&amp;d') },
    'https://x.com/latin': {
      html: Buffer.from(`<title>\xe4</title>${og('image', 'b.png')}`, 'latin1'),
      charset: 'iso-8859-1',
    },
    'https://x.com/meta': {
      html: Buffer.from(
        `<meta charset="windows-1251"><title>\xcf</title>${og('image', 'b.png')}`,
        'latin1',
      ),
    },
    'https://x.com/letters': {
      html: Buffer.from(`<title>5 \x80</title>${og('image', 'b.png')}`, 'latin1'),
      charset: 'klingon',
    },
    'https://x.com/none': { html: og('title', 'A') },
    'https://x.com/script': { html: og('image', 'javascript:alert(1)') },
    'https://x.com/data': { html: og('image', 'data:image/png;base64,AA') },
    'https://x.com/secret': { html: og('image', 'https://me:secret@x.com/a.png') },
    'https://x.com/long': { html: og('image', `/${'a'.repeat(2000)}`) },
  };
  const reasons: string[] = [];
  const summaries = new PageSummaries({
    links,
    failed: (reason) => reasons.push(reason),
    get: async (address) => {
      asked.push(address);
      const { html = '', ...more } = pages[address] ?? {};
      if (html === '') throw new Error('The address answered 404');
      const body = Buffer.from(html);
      return { url: new URL(address), mediaType: 'text/html', charset: '', body, ...more };
    },
  });
  const both = await Promise.all([
    summaries.of('https://x.com/a'),
    summaries.of('https://x.com/a'),
  ]);
  const src = links.path('https://x.com/b.png?c&d');
  t.same(both[0], { title: 'A', description: '', src });
  t.equal(both[0], both[1]);
  t.equal(await summaries.of('https://x.com/a'), both[0]);
  t.same(asked, ['https://x.com/a'], 'asked once');
  t.match(await summaries.of('https://x.com/latin'), { title: 'ä' });
  t.match(await summaries.of('https://x.com/meta'), { title: 'П' });
  t.match(await summaries.of('https://x.com/letters'), { title: '5 €' }, 'an unknown charset');
  for (const other of ['none', 'script', 'data', 'secret', 'long', 'missing']) {
    t.equal(await summaries.of(`https://x.com/${other}`), null, other);
    t.equal(await summaries.of(`https://x.com/${other}`), null, other);
  }
  t.equal(asked.length, 10, 'what fails is remembered, too');
  t.match(reasons, [/no picture/, /no picture/, /no picture/, /no picture/, /no picture/, /404/]);
});
