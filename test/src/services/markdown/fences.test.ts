import t from 'tap';
import { html } from './fixtures.js';

const code = (text: string, language?: string): string =>
  `<div class="codehilite"${language === undefined ? '' : ` data-code-language="${language}"`}>` +
  `<pre><span></span><code>${text}</code></pre></div>`;

void t.test('text between fences is shown as code', async (t) => {
  t.equal(html('```\nx < 1\n\n  y\n```'), code('x &lt; 1\n\n  y\n'));
  t.equal(html('~~~\na\n~~~\nafter'), `${code('a\n')}\n<p>after</p>`);
  t.equal(html('before\n```\na'), `<p>before</p>\n${code('a\n')}`, 'the end may be missing');
  t.equal(html('```\n```'), code(''));
  t.equal(html('```\n\na  \nb\t\n\n```'), code('a\nb\n'), 'nothing that nobody sees');
  t.equal(html('```\n"a" & \'b\'\n```'), code('&quot;a&quot; &amp; &#39;b&#39;\n'));
});

void t.test('the language has its display name', async (t) => {
  t.equal(html('```python\n1\n```'), code('<span class="mi">1</span>\n', 'Python'));
  t.match(html('``` PY\nx\n```'), 'data-code-language="Python"');
  t.match(html('~~~~.js \nx\n~~~~'), 'data-code-language="JavaScript"');
  t.match(html('```{.c++}\nx\n```'), 'data-code-language="C++"');
  t.equal(html('```madeup\nx\n```'), code('x\n', 'madeup'));
  t.equal(
    html('~~~"><b>\nx\n~~~'),
    '<p>~~~"&gt;&lt;b&gt;<br>\nx</p>\n<div class="codehilite"><pre><span></span><code></code></pre></div>',
    'and consists of harmless characters',
  );
  t.equal(html('~~~a: b ~~~'), '<p>~~~a: b ~~~</p>', 'a fence holds no fence');
  t.equal(
    html('```\n1\n```', { defaultCodeLanguage: 'rust' }),
    code('<span class="mi">1</span>\n', 'Rust'),
  );
});

void t.test('indented code looks the same', async (t) => {
  t.equal(html('    a *b*'), code('a *b*\n'));
});

void t.test('nothing is interpreted in code', async (t) => {
  const source = '@**Othello** :smile: 🎉 https://x.com #**my team**';
  t.equal(html(`\`\`\`\n${source}\n\`\`\``), code(`${source}\n`));
  t.equal(html(`\`${source}\``), `<p><code>${source}</code></p>`);
});

void t.test('a quote fence contains blocks', async (t) => {
  t.equal(
    html('```quote\n**a**\n\n> b\n```\nafter'),
    '<blockquote>\n<p><strong>a</strong></p>\n<blockquote>\n<p>b</p>\n</blockquote>\n' +
      '</blockquote>\n<p>after</p>',
  );
});

void t.test('fences nest in quotes and spoilers', async (t) => {
  t.equal(
    html('```quote\n```madeup\nx\n```\ny\n```\nafter'),
    `<blockquote>\n${code('x\n', 'madeup')}\n<p>y</p>\n</blockquote>\n<p>after</p>`,
  );
  t.equal(
    html('~~~quote\n~~~quote\na\n~~~\nb\n~~~\nc'),
    '<blockquote>\n<blockquote>\n<p>a</p>\n</blockquote>\n<p>b</p>\n</blockquote>\n<p>c</p>',
  );
  t.equal(
    html('````quote\n```\nx\n```\n````\nafter'),
    `<blockquote>\n${code('x\n')}\n</blockquote>\n<p>after</p>`,
  );
  t.equal(html('```\n```quote\n```\nafter'), `${code('```quote\n')}\n<p>after</p>`, 'not in code');
});

void t.test('a spoiler has a header and hidden content', async (t) => {
  t.equal(
    html('```spoiler The **end**\nThey *die*.\n```'),
    '<div class="spoiler-block"><div class="spoiler-header">\n' +
      '<p>The <strong>end</strong></p>\n' +
      '</div><div class="spoiler-content" aria-hidden="true">\n' +
      '<p>They <em>die</em>.</p>\n</div></div>',
  );
  t.equal(
    html('```spoiler\nx\n```'),
    '<div class="spoiler-block"><div class="spoiler-header">\n' +
      '</div><div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n</div></div>',
  );
});

void t.test('a fence in a list item ends with the item', async (t) => {
  t.equal(
    html('* ```quote\n  a\n* b'),
    '<ul>\n<li>\n<blockquote>\n<p>a</p>\n</blockquote>\n</li>\n<li>b</li>\n</ul>',
  );
});
