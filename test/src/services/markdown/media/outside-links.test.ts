import t from 'tap';
import {
  isOnServer,
  pictureElsewhere,
} from '../../../../../src/services/markdown/media/outside-links.js';
import { withPreviewsAsLinks } from '../../../../../src/services/markdown/media/preview-html.js';
import { html, render } from '../fixtures.js';

const outside = { outsidePicture: (address: string): string => `/external_content/${address}` };
const shown = (source: string): string => html(source, outside);
const link = (href: string, text = href): string => `<a href="${href}">${text}</a>`;
const preview = (href: string, title = '', picture = href): string =>
  `<div class="message_inline_image"><a href="${href}"${title === '' ? '' : ` title="${title}"`}>` +
  `<img src="/external_content/${picture}"></a></div>`;
const A = 'https://x.com/a.png';
const B = 'http://y.com/B.JPG?w=1';

void t.test('pictures of other servers stand below the paragraph that links them', async (t) => {
  t.equal(shown(`see ${A}\n\nb`), `<p>see ${link(A)}</p>\n${preview(A)}<p>b</p>`);
  t.equal(shown(`${A} ${B}`), `<p>${link(A)} ${link(B)}</p>\n${preview(A)}${preview(B)}`);
  t.equal(shown(`![a "b"](${A})`), `<p>${link(A, 'a "b"')}</p>\n${preview(A, 'a &quot;b&quot;')}`);
  t.equal(
    shown('x.com/a.png'),
    `<p>${link('http://x.com/a.png', 'x.com/a.png')}</p>\n${preview('http://x.com/a.png', 'x.com/a.png')}`,
  );
  t.equal(shown(`${A}\n\n${A}`), `${preview(A)}<p>${link(A)}</p>`, 'each once');
});

void t.test('an address alone is shown by its picture', async (t) => {
  t.equal(shown(A), preview(A));
  t.equal(shown(`![](${A})`), preview(A));
  t.equal(shown(`a\n\n${A}\n\nb`), `<p>a</p>\n${preview(A)}<p>b</p>`);
  t.equal(
    shown(`* ${A}\n* b ${B}`),
    [`<ul>\n<li>${preview(A)}</li>`, `<li>b ${link(B)}${preview(B)}</li>\n</ul>`].join('\n'),
  );
  t.equal(
    shown(`\`\`\`spoiler x\n${A}\n\`\`\``),
    '<div class="spoiler-block"><div class="spoiler-header">\n<p>x</p>\n</div>' +
      `<div class="spoiler-content" aria-hidden="true">\n${preview(A)}</div></div>`,
  );
  t.match(shown(`[\`a\`](${A})`), '<code>a</code>', 'another text stays');
  t.match(render(A, outside), { has_link: true, has_image: true });
});

void t.test('a link in a quotation, code, a heading or a table gets no picture', async (t) => {
  for (const text of [
    A,
    `> ${A}`,
    `\`${A}\``,
    `# ${A}`,
    `|a|\n|-|\n|${A}|`,
    'https://x.com/a.svg',
    'https://x.com/a.png.html',
    'https://x.com/a?b=c.png',
    'https://me:secret@x.com/a.png',
    'https://chat.example.com/a.png',
    `https://x.com/${'a'.repeat(2000)}.png`,
    'ftp://x.com/a.png',
  ]) {
    const others = text === A ? {} : outside;
    t.notMatch(html(text, others), 'external_content', text);
  }
  const many = Array.from({ length: 25 }, (_, i) => `https://x.com/${i}.png`);
  t.notMatch(shown(many.join(' ')), 'external_content', 'too many');
  t.equal(shown(many.slice(1).join(' ')).split('external_content').length, 25);
});

void t.test('pages that show a picture, and videos', async (t) => {
  const address = (href: string): string | undefined => pictureElsewhere(href)?.address;
  t.equal(
    address('https://github.com/o/r/blob/main/a/b.png'),
    'https://raw.githubusercontent.com/o/r/main/a/b.png',
  );
  t.equal(
    address('https://en.wikipedia.org/wiki/File:A.png'),
    'https://en.wikipedia.org/wiki/Special:FilePath/File:A.png',
  );
  t.equal(
    address('https://www.dropbox.com/scl/fi/a/b.png?rlkey=c&dl=0'),
    'https://www.dropbox.com/scl/fi/a/b.png?rlkey=c&raw=1',
  );
  const video = 'https://www.youtube.com/watch?v=hx1mjT73xYE';
  t.equal(
    shown(video),
    `<p>${link(video)}</p>\n<div class="youtube-video message_inline_image"><a data-id="hx1mjT73xYE" href="${video}">` +
      '<img src="/external_content/https://i.ytimg.com/vi/hx1mjT73xYE/mqdefault.jpg"></a></div>',
  );
  for (const other of ['youtu.be/hx1', 'm.youtube.com/shorts/hx1?a=b', 'youtube.com/embed/hx1']) {
    t.match(pictureElsewhere(`https://${other}`), { video: 'hx1' });
  }
  for (const none of ['youtu.be/', 'youtube.com/watch?v=a"b', 'notyoutube.com/watch?v=a']) {
    t.equal(pictureElsewhere(`https://${none}`), null, none);
  }
});

void t.test('web pages that get a preview', async (t) => {
  const pages = (source: string): readonly string[] =>
    render(source, { previewsPages: true }).pages;
  const numbered = Array.from({ length: 30 }, (_, i) => `https://x.com/${i}`);
  t.same(pages(`https://x.com [b](http://y.com/?a=1&b) https://x.com`), [
    'https://x.com',
    'http://y.com/?a=1&b',
  ]);
  t.same(pages(`> https://x.com/q\n\n* https://x.com/1`), ['https://x.com/1']);
  t.same(pages(numbered.slice(0, 24).join(' ')), numbered.slice(0, 5), 'the first few');
  t.same(pages(numbered.join(' ')), [], 'a list');
  for (const none of [A, 'me@x.com', '`https://x.com`', 'https://u:p@x.com', '#**my team**']) {
    t.same(pages(none), [], none);
  }
  t.same(pages('https://chat.example.com/x'), [], 'of this server');
  t.same(render('https://x.com').pages, [], 'where none are wanted');
  t.equal(isOnServer('https://x.com/', undefined), false);
});

void t.test('in mails and notices addresses stand in the place of pictures', async (t) => {
  t.equal(withPreviewsAsLinks(shown(A)), `<p>${link(A)}</p>\n`);
  t.equal(withPreviewsAsLinks(shown(`see ${A}`)), `<p>see ${link(A)}</p>\n`);
  const embed =
    '<div class="message_embed"><a class="message_embed_image" href="h" style="s"></a><div class="data-container">' +
    '<div class="message_embed_title"><a href="h" title="t">t</a></div></div></div>';
  t.equal(withPreviewsAsLinks(`<p>a</p>\n${embed}${embed}`), '<p>a</p>');
});
