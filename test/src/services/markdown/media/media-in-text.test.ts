import t from 'tap';
import type { Media } from '../../../../../src/services/markdown/media/preview-html.js';
import { withPreviewsAsLinks } from '../../../../../src/services/markdown/media/preview-html.js';
import { inlineImageHtml } from '../../../../../src/services/markdown/media/inline-images.js';
import { html as withoutMedia, render } from '../fixtures.js';

const image = (contentType: string, isAnimated = false): Media => {
  return { kind: 'image', image: { width: 90, height: 60, contentType, isAnimated } };
};
const FILES: Readonly<Record<string, Media>> = {
  '1/ab/x/a.png': image('image/png'),
  '1/ab/x/b.gif': image('image/gif', true),
  '1/ab/x/é 1.png': image('image/png'),
  '1/ab/x/new.png': { kind: 'image', image: null },
  '1/ab/x/v.mp4': { kind: 'video' },
  '1/ab/x/s.mp3': { kind: 'audio' },
};
const media = (pathId: string): Media | undefined => FILES[pathId];
const html = (source: string): string => render(source, { media }).html;
const A = '/user_uploads/1/ab/x/a.png';
const picture = (alt: string, title = ''): string =>
  `<img alt="${alt}" class="inline-image" data-original-content-type="image/png" data-original-dimensions="90x60"` +
  ` data-original-src="${A}" src="/user_uploads/thumbnail/1/ab/x/a.png/840x560.webp"${title}>`;

void t.test('an uploaded picture stands where its syntax is', async (t) => {
  t.equal(html(`see ![a cat](${A}) there`), `<p>see ${picture('a cat')} there</p>`);
  t.equal(html(`![](${A})`), `<p>${picture('')}</p>`);
  t.equal(html(`![a](${A} "so \\"so\\"")`), `<p>${picture('a', ' title="so &quot;so&quot;"')}</p>`);
  t.equal(html(`![a "b" <i> & c](${A})`), `<p>${picture('a &quot;b&quot; &lt;i&gt; &amp; c')}</p>`);
  t.equal(
    html('![b](/user_uploads/1/ab/x/b.gif)'),
    '<p><img alt="b" class="inline-image" data-animated="true" data-original-content-type="image/gif" ' +
      'data-original-dimensions="90x60" data-original-src="/user_uploads/1/ab/x/b.gif" ' +
      'src="/user_uploads/thumbnail/1/ab/x/b.gif/840x560-anim.webp"></p>',
  );
  t.equal(
    html('![new](/user_uploads/1/ab/x/new.png "t")'),
    '<p><img alt="new" class="inline-image image-loading-placeholder" data-original-src="/user_uploads/1/ab/x/new.png" ' +
      'src="/static/images/loading/loader-black.svg" title="t"></p>',
    'while its thumbnail is made',
  );
  t.equal(
    html(`![a](https://chat.example.com${A})`),
    `<p>${picture('a')}</p>`,
    'by its full address',
  );
  t.match(
    html('![a](</user_uploads/1/ab/x/é 1.png>)'),
    'data-original-src="/user_uploads/1/ab/x/%C3%A9%201.png" src="/user_uploads/thumbnail/1/ab/x/%C3%A9%201.png/840x560.webp"',
  );
});

void t.test('in any block, as often as it is written', async (t) => {
  const source = `![a](${A})`;
  t.equal(html(`# ${source}`), `<h1>${picture('a')}</h1>`);
  t.equal(html(`> ${source}`), `<blockquote>\n<p>${picture('a')}</p>\n</blockquote>`);
  t.equal(html(`* ${source}\n* b`), `<ul>\n<li>${picture('a')}</li>\n<li>b</li>\n</ul>`);
  t.match(html(`|a|\n|-|\n|${source}|`), `<td>${picture('a')}</td>`);
  t.match(html(`\`\`\`spoiler x\n${source}\n\`\`\``), `<p>${picture('a')}</p>`);
  t.equal(html(`${source}${source}`), `<p>${picture('a')}${picture('a')}</p>`);
  t.equal(
    html(`${source} [c](${A})`),
    `<p>${picture('a')} <a href="${A}">c</a></p>\n<div class="message_inline_image"><a href="${A}" title="c">` +
      '<img data-original-content-type="image/png" data-original-dimensions="90x60" ' +
      'src="/user_uploads/thumbnail/1/ab/x/a.png/840x560.webp"></a></div>',
    'a link beside it has its preview',
  );
});

void t.test('what is no uploaded picture is a link, as without uploads', async (t) => {
  for (const text of [
    `\`![a](${A})\``,
    `\`\`\`\n![a](${A})\n\`\`\``,
    '![a](https://example.com/i.png)',
    `![a](https://example.com${A})`,
    '![a](/user_uploads/1/ab/x/other.png "t")',
    `[![a](${A})](https://example.com)`,
    '![a](javascript:x)',
  ]) {
    t.equal(html(text), withoutMedia(text), text);
  }
  t.match(
    html('![v](/user_uploads/1/ab/x/v.mp4)'),
    'message_inline_video',
    'a video has its preview',
  );
  const many = Array.from({ length: 25 }, () => `![a](${A})`).join(' ');
  const found = html(many).split('class="inline-image"');
  t.equal(found.length, 25, 'the first 24');
  t.match(found[24], `> <a href="${A}">a</a></p>`);
});

void t.test('what searches know of it', async (t) => {
  const { has_link, has_image, has_attachment, attachments } = render(`![a](${A})`, { media });
  t.same([has_link, has_image, has_attachment], [false, true, true]);
  t.strictSame(attachments, ['1/ab/x/a.png']);
  const facts = render('![a](/user_uploads/1/ab/x/s.mp3)', { media });
  t.same([facts.has_link, facts.has_image, facts.has_attachment], [false, false, true]);
});

void t.test('mails and notices have links', async (t) => {
  const source = `see ![a "b"](${A} "t") and ![](/user_uploads/1/ab/x/new.png)`;
  t.equal(
    withPreviewsAsLinks(html(source)),
    `<p>see <a href="${A}" title="t">a "b"</a> and <a href="/user_uploads/1/ab/x/new.png">/user_uploads/1/ab/x/new.png</a></p>`,
  );
  t.equal(
    withPreviewsAsLinks(html(source)),
    withoutMedia(source),
    'as a server without pictures writes it',
  );
});

void t.test('a description never ends its attribute', async (t) => {
  const hostile = { alt: '"><script>', src: '/user_uploads/"x', pathId: 'x', title: '" onload="' };
  t.notMatch(inlineImageHtml(hostile, null), /<script|"x| onload="/);
});
