import t from 'tap';
import { isClean } from '../../../../src/services/markdown/clean-html.js';
import type { MentionDirectory } from '../../../../src/services/markdown/render-environment.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { parsedAndRewritten, sanitize } from '../../../../src/services/markdown/sanitizer.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { directory } from './fixtures.js';
import { hostileHtml, hostileMarkdown } from './hostile-texts.js';

const COUNT = scaled(2500, 120_000);

/** An organization in which every name may be hostile. */
const hostileDirectory: MentionDirectory = {
  ...directory,
  userById: (id) => ({ user_id: id, full_name: '"><script>' }),
  groupByName: (name) => ({ id: 3, name }),
  channelByName: (name) => ({ stream_id: 5, name }),
  customEmoji: (name) =>
    ({
      green_tick: { id: '1', source_url: '/user_avatars/1/emoji/1.png' },
      bucket: { id: '2', source_url: 'https://files.example.com/emoji/2.png?a=1&b=2' },
      evil: { id: '3', source_url: 'javascript:alert(1)' },
      other: { id: '4', source_url: '//evil.example.com/x.png' },
      quote: { id: '5', source_url: '/x.png" onerror="x' },
    })[name],
  translateEmoticons: true,
  linkifiers: [
    {
      *linksIn(text) {
        for (const { 0: found, index } of text.matchAll(/T\d+/g)) {
          yield {
            text: found,
            url: found === 'T2' ? 'javascript:x' : `https://x.com/"${found}&`,
            index,
          };
        }
      },
    },
  ],
  defaultCodeLanguage: '"<b>',
  outsidePicture: (address) => `/external_content/${address.length}`,
  previewsPages: true,
};

void t.test(
  'rendered messages that are taken as clean are what the sanitizer makes of them',
  async (t) => {
    const random = randomOfRun(t);
    let clean = 0;
    const faults: string[] = [];
    const markdown = createMarkdown({
      onError: (error) => {
        throw error;
      },
      sanitizer: (html) => {
        if (isClean(html)) clean += 1;
        if (sanitize(html) !== parsedAndRewritten(html)) faults.push(html);
        return sanitize(html);
      },
    });
    const directories = [directory, hostileDirectory];
    for (let i = 0; i < COUNT; i++) markdown.render(hostileMarkdown(random), directories[i % 2]!);
    t.strictSame(faults, []);
    t.ok(clean > 0.8 * COUNT, `${clean} of ${COUNT} were clean`);
  },
);

void t.test('any HTML that is taken as clean is what the sanitizer makes of it', async (t) => {
  const random = randomOfRun(t);
  let clean = 0;
  const faults: string[] = [];
  for (let i = 0; i < COUNT; i++) {
    const html = hostileHtml(random);
    if (isClean(html)) clean += 1;
    if (sanitize(html) !== parsedAndRewritten(html)) faults.push(html);
  }
  t.strictSame(faults, []);
  t.ok(clean > 0.03 * COUNT && clean < 0.6 * COUNT, `${clean} of ${COUNT} were clean`);
});

void t.test('clean HTML is recognized, and nothing else', async (t) => {
  const clean = [
    '',
    'a & b'.replace('&', '&amp;'),
    '<p>a "b" &quot;c&quot;</p>\n<hr>\n<p>d<br>\ne</p>',
    '<ul>\n<li>\n<p>a</p>\n<ol start="3">\n<li>b</li>\n</ol>\n</li>\n</ul>',
    '<p><a href="https://x.com/?a=1&amp;b=2" title="&quot;">a</a></p>',
    '<p><span class="user-mention silent" data-user-id="7">King</span></p>',
    '<p><img alt=":a:" class="emoji" src="https://x.com/a.png" title="a"></p>',
    '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n</tr>\n</thead>\n</table>',
    '<div class="codehilite" data-code-language="C"><pre><span></span><code>a</code></pre></div>',
  ];
  for (const html of clean) t.ok(isClean(html), html);
  const unclean = [
    '<p>a',
    'a</p>',
    '<p>a</div>',
    '<p><strong>a</p></strong>',
    '<p>a > b</p>',
    '<p>a < b</p>',
    '<p>&nbsp;</p>',
    '<p>&amp</p>',
    '<p>&</p>',
    '<p><p>a</p></p>',
    '<p><div>a</div></p>',
    '<li>a</li>',
    '<ul><li><li>a</li></li></ul>',
    '<P>a</P>',
    '<p class="x">a</p>',
    '<p >a</p>',
    '<br/>',
    '<br />',
    '<br></br>',
    '</br>',
    '<script>a</script>',
    '<b>a</b>',
    '<!-- a -->',
    '<?a?>',
    '<a href="javascript:x">a</a>',
    '<a href="java&#115;cript:x">a</a>',
    '<a href="/logout">a</a>',
    '<a href="https://x.com" href="javascript:x">a</a>',
    '<a href="https://x.com" onclick="x">a</a>',
    '<a href=https://x.com>a</a>',
    "<a href='https://x.com'>a</a>",
    '<a href="">a</a>',
    '<a href>a</a>',
    '<a title="">a</a>',
    '<a title="a" title="b">a</a>',
    '<a constructor="x">a</a>',
    '<span class="evil">a</span>',
    '<span class="emoji  silent">a</span>',
    '<span class=" emoji">a</span>',
    '<span class="emoji emoji-x">a</span>',
    '<td style="text-align: left;">a</td>',
    '<table><tbody><tr><td style="color: red">a</td></tr></tbody></table>',
    '<img>',
    '<img alt="a">',
    '<img class="emoji" src="data:x">',
    '<img class="emoji" src="//x.com/a.png">',
    '<img class="emoji" src="/\\x.com/a.png">',
    '<img class="emoji silent" src="/a.png">',
  ];
  for (const html of unclean) t.notOk(isClean(html), html);
});
