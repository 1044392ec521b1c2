import t from 'tap';
import { html } from './fixtures.js';

void t.test('paragraphs, line breaks and inline styles', async (t) => {
  t.equal(html(''), '');
  t.equal(html('hello'), '<p>hello</p>');
  t.equal(html('one\ntwo\n\nthree'), '<p>one<br>\ntwo</p>\n<p>three</p>');
  t.equal(html('**b** *i* ~~d~~'), '<p><strong>b</strong> <em>i</em> <del>d</del></p>');
  t.equal(html('***both***'), '<p><strong><em>both</em></strong></p>');
  t.equal(html('a ***b** c*'), '<p>a <em><strong>b</strong> c</em></p>');
  t.equal(html('***a* b**'), '<p><strong><em>a</em> b</strong></p>');
  t.equal(html('`a *b* <c>`'), '<p><code>a *b* &lt;c&gt;</code></p>');
  t.equal(html('\\*a\\*'), '<p>*a*</p>');
});

void t.test('underscores are ordinary characters', async (t) => {
  t.equal(html('snake_case_name __init__ _x_'), '<p>snake_case_name __init__ _x_</p>');
});

void t.test('a /me message is rendered like any other', async (t) => {
  t.equal(html('/me **waves**'), '<p>/me <strong>waves</strong></p>');
});

void t.test('headings need a number sign and a space; underlines are rules', async (t) => {
  t.equal(html('# A'), '<h1>A</h1>');
  t.equal(html('###### A'), '<h6>A</h6>');
  t.equal(html('#A'), '<p>#A</p>');
  t.equal(html('text\n---'), '<p>text</p>\n<hr>');
});

void t.test('items become lists, also nested and numbered ones', async (t) => {
  t.equal(html('* a\n* b'), '<ul>\n<li>a</li>\n<li>b</li>\n</ul>');
  t.equal(html('3. a\n4. b'), '<ol start="3">\n<li>a</li>\n<li>b</li>\n</ol>');
  t.equal(
    html('text\n- a\n  - b'),
    '<p>text</p>\n<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>',
  );
});

void t.test('lines after > become block quotes', async (t) => {
  t.equal(
    html('> a\nb\n\n> > c'),
    '<blockquote>\n<p>a<br>\nb</p>\n</blockquote>\n' +
      '<blockquote>\n<blockquote>\n<p>c</p>\n</blockquote>\n</blockquote>',
  );
});

void t.test('raw HTML is shown as text', async (t) => {
  t.equal(html('<b>x</b>'), '<p>&lt;b&gt;x&lt;/b&gt;</p>');
  t.equal(html('<div>\nx\n</div>'), '<p>&lt;div&gt;<br>\nx<br>\n&lt;/div&gt;</p>');
  t.equal(html('a /> b'), '<p>a /&gt; b</p>');
});

void t.test('entities stand for their characters', async (t) => {
  t.equal(html('& &amp; &amp;amp; &lt;'), '<p>&amp; &amp; &amp;amp; &lt;</p>');
  t.equal(html('"q" it\'s'), '<p>"q" it\'s</p>');
});

void t.test('there are no reference links', async (t) => {
  t.equal(
    html('[a]\n\n[a]: https://x.com'),
    '<p>[a]</p>\n<p>[a]: <a href="https://x.com">https://x.com</a></p>',
  );
});
