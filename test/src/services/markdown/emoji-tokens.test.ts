import t from 'tap';
import { html } from './fixtures.js';

const emoji = (name: string, code: string): string => {
  const title = name.replaceAll('_', ' ');
  return `<span aria-label="${title}" class="emoji emoji-${code}" role="img" title="${title}">:${name}:</span>`;
};

void t.test('the name of an emoji between colons becomes the emoji', async (t) => {
  t.equal(
    html(':smile:'),
    '<p><span aria-label="smile" class="emoji emoji-1f642" role="img" title="smile">:smile:</span></p>',
  );
  t.equal(
    html('a:+1:b:thumbs_up:'),
    `<p>a${emoji('+1', '1f44d')}b${emoji('thumbs_up', '1f44d')}</p>`,
  );
  t.equal(html('**:heart:**'), `<p><strong>${emoji('heart', '2764')}</strong></p>`);
  t.equal(html(':de:'), `<p>${emoji('de', '1f1e9-1f1ea')}</p>`);
});

void t.test('unknown names stay text and hide nothing behind them', async (t) => {
  t.equal(html(':no_such: 10:30:45 ::'), '<p>:no_such: 10:30:45 ::</p>');
  t.equal(html(':no_such:smile:'), `<p>:no_such${emoji('smile', '1f642')}</p>`);
  t.equal(html('\\:smile:'), '<p>:smile:</p>', 'escaped');
});

void t.test('an emoji in the text is shown as its picture', async (t) => {
  t.equal(html('🎉'), `<p>${emoji('tada', '1f389')}</p>`);
  t.equal(html('❤️❤'), `<p>${emoji('heart', '2764').repeat(2)}</p>`);
  t.equal(html('x🇩🇪y'), `<p>x${emoji('flag_germany', '1f1e9-1f1ea')}y</p>`);
  t.equal(
    html('👩‍👩‍👦'),
    `<p>${emoji('family_woman_woman_boy', '1f469-200d-1f469-200d-1f466')}</p>`,
    'a joined sequence is one emoji',
  );
});

void t.test('characters that are not emoji, or not named, stay characters', async (t) => {
  t.equal(html('© ™ → 1 # *'), '<p>© ™ → 1 # *</p>');
  t.equal(html('©️'), `<p>${emoji('copyright', '00a9')}</p>`, 'unless a selector asks for one');
  t.equal(html('❤︎'), '<p>❤︎</p>', 'or asks for text');
  t.equal(html('👍🏽'), '<p>👍🏽</p>', 'skin tones are kept');
});

void t.test('the name of a custom emoji is shown as its picture', async (t) => {
  t.equal(
    html(':green_tick:'),
    '<p><img alt=":green_tick:" class="emoji" src="/user_avatars/1/emoji/1.png" title="green tick"></p>',
  );
  const customEmoji = (name: string): { id: string; source_url: string } | undefined =>
    name === 'smile' ? { id: '2', source_url: 'https://cdn.example.com/s.png?a=1&b' } : undefined;
  t.equal(
    html(':smile: :tada:', { customEmoji }),
    '<p><img alt=":smile:" class="emoji" src="https://cdn.example.com/s.png?a=1&amp;b" title="smile"> ' +
      `${emoji('tada', '1f389')}</p>`,
    'hides a Unicode emoji',
  );
});

// As the reference's example `zulip_emoji` (zerver/tests/fixtures/markdown_test_cases.json).
void t.test('the extra emoji is shown as the picture that clients ask for', async (t) => {
  const picture = (src: string) =>
    `<p><img alt=":zulip:" class="emoji" src="${src}" title="zulip"></p>`;
  t.equal(html(':zulip:'), picture('/static/generated/emoji/images/emoji/unicode/zulip.png'));
  const customEmoji = () => ({ id: '2', source_url: '/z.png' });
  t.equal(html(':zulip:', { customEmoji }), picture('/z.png'), 'unless there is a custom one');
});

// [c:emoticons-wanted]
void t.test('emoticons only if the sender wants them', async (t) => {
  t.equal(html(':) x <3'), '<p>:) x &lt;3</p>');
  const translateEmoticons = true;
  t.equal(
    html(':) x <3.', { translateEmoticons }),
    `<p>${emoji('smile', '1f642')} x ${emoji('heart', '2764')}.</p>`,
  );
  t.equal(html('a:) :)b x:)x', { translateEmoticons }), '<p>a:) :)b x:)x</p>', 'as whole words');
  t.equal(html('!:)?', { translateEmoticons }), `<p>!${emoji('smile', '1f642')}?</p>`);
  t.equal(html('`:)`', { translateEmoticons }), '<p><code>:)</code></p>');
});

void t.test('not in bare addresses, but in the text of links', async (t) => {
  t.equal(
    html('https://x.com/:smile:'),
    '<p><a href="https://x.com/:smile">https://x.com/:smile</a>:</p>',
  );
  t.equal(
    html('[:smile:](https://x.com)'),
    `<p><a href="https://x.com">${emoji('smile', '1f642')}</a></p>`,
  );
});
