import t from 'tap';
import { sanitize } from '../../../../src/services/markdown/sanitizer.js';
import { html } from './fixtures.js';

void t.test('the sanitizer removes what messages may not contain', async (t) => {
  const cases: Record<string, string> = {
    '<script>alert(1)</script>x': 'x',
    '<style>p{}</style>x': 'x',
    '<p onclick="x()">a</p>': '<p>a</p>',
    '<p style="color:red" class="y" id="z">a</p>': '<p>a</p>',
    '<img src="x" onerror="y">': '',
    '<img class="emoji" src="javascript:x" alt=":a:">': '<img class="emoji" alt=":a:">',
    '<img class="emoji" src="data:image/png;base64,AA">': '<img class="emoji">',
    '<a href="javascript:x">a</a>': '<a>a</a>',
    '<a href=" java\nscript:x">a</a>': '<a>a</a>',
    '<a href="/logout">a</a>': '<a>a</a>',
    '<a href="https://x.com" target="_blank">a</a>': '<a href="https://x.com">a</a>',
    '<iframe src="https://x.com"></iframe>': '',
    '<form action="/x"><input name="y"></form>': '',
    '<svg><a xlink:href="javascript:x">a</a></svg>': '<a>a</a>',
    '<math><mi>x</mi></math>': 'x',
    '<span class="emoji evil emoji-1f642 emoji-x">a</span>':
      '<span class="emoji emoji-1f642">a</span>',
    '<div data-code-language="C" data-x="1">a</div>': '<div data-code-language="C">a</div>',
    '<td style="text-align: left;">a</td>': '<td style="text-align: left;">a</td>',
    '<td style="text-align: left; color: red">a</td>': '<td>a</td>',
    '<span class="evil" title="">a</span>': '<span>a</span>',
    '<!-- x --><p>a': '<p>a</p>',
    '<b>a</b><strong>b': 'a<strong>b</strong>',
    '<scr<script>ipt>x</scr</script>ipt>': 'ipt&gt;xipt&gt;',
    'a<br/>b<br />c<br>d': 'a<br>b<br>c<br>d',
  };
  for (const [dirty, clean] of Object.entries(cases)) t.equal(sanitize(dirty), clean, dirty);
});

void t.test('attacks in the source come out as text', async (t) => {
  const attacks = [
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<a href="javascript:alert(1)" onclick="x">y</a>',
    '**<b onmouseover=x>**',
    '[x](https://x.com "\\" onclick=\\"alert(1)")',
    '[x](https://x.com/"onmouseover="alert(1))',
    '[<img src=x onerror=y>](https://x.com)',
    '![x" onerror="y](https://x.com/i.png)',
    '```"><script>\nx\n```',
    '```spoiler <script>x</script>\n<script>y</script>\n```',
    '| <script> | b |\n|-|-|\n| <img src=x> | y |',
    '@**<script>** #**<script>** :<script>:',
    '#**my team>"><script>x</script>**',
    '<time:2026-01-31"onclick="x>',
    'https://x.com/<script>alert(1)</script>',
    'https://x.com/"onclick="alert(1)',
    '<https://x.com/"onclick="alert(1)>',
    '&lt;script&gt;alert(1)&lt;/script&gt;',
    '<svg/onload=alert(1)>',
    '<<script>script>x</script>',
    '\u0000<script\u0000>x</script>',
  ];
  const allowed =
    /<\/?(?:p|br|h[1-6]|a|em|strong|span|div|pre|code|time|table|thead|tbody|tr|th|td)(?: (?:class|data-[a-z-]+|href|title|aria-hidden|aria-label|role|datetime)="[^"<>]*")*>/g;
  for (const attack of attacks) {
    const rest = html(attack).replace(allowed, '');
    t.notMatch(rest, /[<>]/, attack);
  }
});
