import t from 'tap';
import type { Media } from '../../../../../src/services/markdown/media/preview-html.js';
import { withInlineImagesAsLinks } from '../../../../../src/services/markdown/media/inline-images.js';
import { html as withoutMedia, render } from '../fixtures.js';

const FILES: Readonly<Record<string, Media>> = {
  '1/ab/x/a.png': {
    kind: 'image',
    image: { width: 90, height: 60, contentType: 'image/png', isAnimated: false },
  },
  '1/ab/x/b.gif': {
    kind: 'image',
    image: { width: 9, height: 6, contentType: 'image/gif', isAnimated: true },
  },
  '1/ab/x/c.tiff': {
    kind: 'image',
    image: { width: 90, height: 60, contentType: 'image/tiff', isAnimated: false },
  },
  '1/ab/x/new.png': { kind: 'image', image: null },
  '1/ab/x/known.png': {
    kind: 'image',
    image: null,
    original: { width: 90, height: 60, contentType: 'image/png' },
  },
  '1/ab/x/v.mp4': { kind: 'video' },
  '1/ab/x/s.mp3': { kind: 'audio' },
};
const media = (pathId: string): Media | undefined => FILES[pathId];
const html = (source: string): string => render(source, { media }).html;
const link = (name: string, text = name): string =>
  `<a href="/user_uploads/1/ab/x/${name}">${text}</a>`;
const preview = (name: string, picture: string, title = name): string =>
  `<div class="message_inline_image"><a href="/user_uploads/1/ab/x/${name}" title="${title}">${picture}</a></div>`;
const PNG =
  '<img data-original-content-type="image/png" data-original-dimensions="90x60" ' +
  'src="/user_uploads/thumbnail/1/ab/x/a.png/840x560.webp">';
const GIF =
  '<img data-animated="true" data-original-content-type="image/gif" data-original-dimensions="9x6" ' +
  'src="/user_uploads/thumbnail/1/ab/x/b.gif/840x560-anim.webp">';
const PENDING =
  '<img class="image-loading-placeholder" src="/static/images/loading/loader-black.svg">';

void t.test('pictures stand below the paragraph that links them', async (t) => {
  t.equal(
    html('see [a.png](/user_uploads/1/ab/x/a.png)\n\nb'),
    `<p>see ${link('a.png')}</p>\n${preview('a.png', PNG)}<p>b</p>`,
  );
  t.equal(
    html('[a "b"](/user_uploads/1/ab/x/a.png) [b.gif](/user_uploads/1/ab/x/b.gif)'),
    `<p>${link('a.png', 'a "b"')} ${link('b.gif')}</p>\n` +
      preview('a.png', PNG, 'a &quot;b&quot;') +
      preview('b.gif', GIF),
  );
  t.equal(
    html('[new.png](/user_uploads/1/ab/x/new.png)'),
    `<p>${link('new.png')}</p>\n${preview('new.png', PENDING)}`,
    'while its thumbnail is made',
  );
  t.equal(
    html('[known.png](/user_uploads/1/ab/x/known.png)'),
    `<p>${link('known.png')}</p>\n` +
      preview(
        'known.png',
        PENDING.replace(
          ' src',
          ' data-original-content-type="image/png" data-original-dimensions="90x60" src',
        ),
      ),
    'the size is known before',
  );
  t.equal(
    html('* [a.png](/user_uploads/1/ab/x/a.png)\n* b'),
    `<ul>\n<li>${link('a.png')}${preview('a.png', PNG)}</li>\n<li>b</li>\n</ul>`,
  );
  t.equal(
    html('```spoiler x\n[a.png](/user_uploads/1/ab/x/a.png)\n```').endsWith(
      `<p>${link('a.png')}</p>\n${preview('a.png', PNG)}</div></div>`,
    ),
    true,
  );
});

void t.test('a picture that browsers do not show names one that they do', async (t) => {
  const original = 'data-original-content-type="image/tiff" data-original-dimensions="90x60"';
  const thumbnail = 'src="/user_uploads/thumbnail/1/ab/x/c.tiff/840x560.webp"';
  t.equal(
    html('[c.tiff](/user_uploads/1/ab/x/c.tiff)'),
    `<p>${link('c.tiff')}</p>\n` +
      preview('c.tiff', `<img ${original} data-transcoded-image="840x560.webp" ${thumbnail}>`),
  );
  const inline = html('![c](/user_uploads/1/ab/x/c.tiff)');
  t.equal(
    inline,
    `<p><img alt="c" class="inline-image" ${original} data-original-src="/user_uploads/1/ab/x/c.tiff" ` +
      `data-transcoded-image="840x560.webp" ${thumbnail}></p>`,
  );
  t.equal(withInlineImagesAsLinks(inline), `<p>${link('c.tiff', 'c')}</p>`);
});

void t.test('an upload in a quotation, code, a heading or a table gets no preview', async (t) => {
  const source = '[a.png](/user_uploads/1/ab/x/a.png)';
  for (const text of [
    `> ${source}`,
    `\`${source}\``,
    '[x.png](/user_uploads/1/ab/x/other.png)',
    '[x.png](https://x.com/user_uploads/1/ab/x/a.png)',
    `# ${source}`,
    `|a|\n|-|\n|${source}|`,
  ]) {
    t.equal(html(text), withoutMedia(text), text);
  }
  const twice = html(`${source}\n\n${source}`);
  t.equal(twice.split('message_inline_image').length, 2, 'one of each picture');
  const many = Array.from({ length: 25 }, (_, i) => `[${i}](/user_uploads/1/ab/x/${i}.png)`);
  const all = { media: (): Media => ({ kind: 'video' }) };
  t.notMatch(render(many.join(' '), all).html, 'message_inline', 'too many');
  t.equal(render(many.slice(1).join(' '), all).html.split('<video').length, 25);
});

void t.test('an uploaded video gets a preview, and an uploaded sound a player', async (t) => {
  t.equal(
    html('[v.mp4](/user_uploads/1/ab/x/v.mp4)'),
    `<p>${link('v.mp4')}</p>\n<div class="message_inline_image message_inline_video">` +
      '<a href="/user_uploads/1/ab/x/v.mp4" title="v.mp4">' +
      '<video preload="metadata" src="/user_uploads/1/ab/x/v.mp4"></video></a></div>',
  );
  const player = (title: string): string =>
    `<p><audio controls preload="metadata" src="/user_uploads/1/ab/x/s.mp3" title="${title}"></audio></p>`;
  t.equal(html('![a song](/user_uploads/1/ab/x/s.mp3)'), player('a song'));
  t.equal(html('![](/user_uploads/1/ab/x/s.mp3)'), player('s.mp3'));
  t.equal(html('[s.mp3](/user_uploads/1/ab/x/s.mp3)'), `<p>${link('s.mp3')}</p>`);
  const facts = render('![a song](/user_uploads/1/ab/x/s.mp3)', { media });
  t.strictSame(facts.attachments, ['1/ab/x/s.mp3'], 'the message links the file');
});
