import t from 'tap';
import { isSafeUrl } from '../../../../src/services/markdown/links.js';
import { html, render } from './fixtures.js';

const link = (url: string, text = url): string => `<p><a href="${url}">${text}</a></p>`;

void t.test('a bare address becomes a link', async (t) => {
  t.equal(html('https://x.com/a_b*c?d=1'), link('https://x.com/a_b*c?d=1'));
  t.equal(html('http://x.com/?a=1&b=2'), link('http://x.com/?a=1&amp;b=2'));
  t.equal(html('<https://x.com>'), '<p>&lt;<a href="https://x.com">https://x.com</a>&gt;</p>');
  t.equal(html('mailto:a@x.com'), link('mailto:a@x.com'));
  t.equal(html('a@x.com'), link('mailto:a@x.com', 'a@x.com'));
  t.equal(
    html('(https://x.com/a_(b)).'),
    '<p>(<a href="https://x.com/a_(b)">https://x.com/a_(b)</a>).</p>',
  );
  t.equal(html('ftp://x.com //x.com'), '<p>ftp://x.com //x.com</p>');
  t.equal(
    html('see https://x.com/a: it says http://x.com:'),
    '<p>see <a href="https://x.com/a">https://x.com/a</a>: it says <a href="http://x.com">http://x.com</a>:</p>',
    'a colon at the end is the sentence’s',
  );
  t.equal(html('http://x.com:80/a:b'), link('http://x.com:80/a:b'));
});

void t.test('bare domains and telephone numbers become links', async (t) => {
  t.equal(html('example.com'), link('http://example.com', 'example.com'));
  t.equal(
    html('www.zulip.com/foo?x=1'),
    link('http://www.zulip.com/foo?x=1', 'www.zulip.com/foo?x=1'),
  );
  t.equal(
    html('questions like foo.org? (or t.co)'),
    '<p>questions like <a href="http://foo.org">foo.org</a>? (or <a href="http://t.co">t.co</a>)</p>',
  );
  for (const text of [
    'readme.md',
    'views.py is',
    'a.zip',
    'e.g. this',
    '1.5',
    'x.y.z',
    'node.js',
  ]) {
    t.equal(html(text), `<p>${text}</p>`);
  }
  t.equal(html('`example.com`'), '<p><code>example.com</code></p>');
  t.equal(html('[call](tel:+49-30-1234)'), link('tel:+49-30-1234', 'call'));
  t.equal(html('tel:+49301234'), link('tel:+49301234'));
  t.equal(html('tel:nobody'), '<p>tel:nobody</p>');
  t.equal(render('example.com').has_link, true);
});

void t.test('a link with a text keeps markup and title', async (t) => {
  t.equal(html('[a **b**](https://x.com)'), link('https://x.com', 'a <strong>b</strong>'));
  t.equal(
    html('[a](https://x.com "say \\"hi\\"")'),
    '<p><a href="https://x.com" title="say &quot;hi&quot;">a</a></p>',
  );
  t.equal(html('[a](/user_uploads/2/ab/x.txt)'), link('/user_uploads/2/ab/x.txt', 'a'));
  t.equal(html('[a](#narrow/channel/5-x)'), link('#narrow/channel/5-x', 'a'));
  t.equal(html('[a](x.com/y)'), link('http://x.com/y', 'a'), 'a domain');
  t.equal(html('[a]()'), '<p>a</p>', 'to nowhere');
});

void t.test('the syntax of images becomes a link, unless its address is unsafe', async (t) => {
  t.equal(html('![a *b*](https://x.com/i.png)'), link('https://x.com/i.png', 'a *b*'));
  t.equal(html('![](/user_uploads/2/i.png)'), link('/user_uploads/2/i.png'));
  t.equal(html('[![a](https://i.com/i.png)](https://x.com)'), link('https://x.com', 'a'));
  t.equal(html('![a](javascript:x)'), '<p>![a](javascript:x)</p>');
});

void t.test('unsafe destinations make no link', async (t) => {
  const unsafe = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'javascript&colon;alert(1)',
    'javascript&#58;alert(1)',
    '&#x6A;avascript:alert(1)',
    'data:text/html,x',
    'data:image/svg+xml;base64,AAAA',
    'vbscript:x',
    'file:///etc/passwd',
    '//evil.example',
    '/logout',
    '\\\\evil.example',
    '/user_uploads/../api/v1/x',
    '/user_uploads/%2e%2e/x',
    'http:///x',
  ];
  for (const url of unsafe) {
    t.notMatch(html(`[a](${url})`), /<a /, url);
    t.notMatch(html(`[a](<${url}>)`), /<a /, url);
    t.notMatch(html(`<${url}>`), /<a /, url);
  }
  t.notMatch(html('<javascript:alert(1)>'), /<a /);
});

void t.test('addresses of the web, of mail and of this server are safe, others not', async (t) => {
  for (const url of ['http://x', 'HTTPS://x', 'mailto:a@b', '/user_uploads/1/a..b', '/#narrow/x']) {
    t.ok(isSafeUrl(url), url);
  }
  for (const url of [
    '',
    'x',
    '/',
    '#',
    'http:',
    'http://',
    'mailto:',
    ' http://x',
    '\tjavascript:x',
  ]) {
    t.notOk(isSafeUrl(url), url);
  }
});

void t.test('addresses as existing clients find them', async (t) => {
  const nested = 'https://x.com/(a_((b(c(d(e)d)c))b_)_a)_z';
  t.equal(html(nested), link(nested), 'six parentheses within each other');
  t.equal(html('https://x.com/(a(b'), `${link('https://x.com/').slice(0, -4)}(a(b</p>`);
  t.equal(html('http://leo@x.com/a'), link('http://leo@x.com/a'));
  t.equal(html('a@x.com/b'), '<p>a@x.com/b</p>');
  t.equal(html('see:x.com'), '<p>see:<a href="http://x.com">x.com</a></p>');
  t.equal(html('<a href="http://x.com">'), '<p>&lt;a href="http://x.com"&gt;</p>', 'no attributes');
  t.equal(
    html('[](https://x.com)'),
    link('https://x.com'),
    'a link without text shows its address',
  );
  t.equal(html('[  ](https://x.com)'), link('https://x.com'));
  t.equal(html('[text](sms:+123)'), link('sms:+123', 'text'));
  t.equal(html('[text](mid:1.2@x.com/a@x.com)'), link('mid:1.2@x.com/a@x.com', 'text'), 'a mail');
  t.equal(
    html('[a](https://chat.example.com/#narrow/channel/5)'),
    link('#narrow/channel/5', 'a'),
    'a place in the client is relative',
  );
});

void t.test('addresses of places in some programs', async (t) => {
  for (const url of [
    'asanadesktop://task/123456789',
    'hansoft://Project/Task/12345',
    'obsidian://open?vault=My%20Vault',
    'zotero://select/library/items/C495WKPX',
  ]) {
    t.equal(html(url), link(url));
    t.equal(html(`(${url}).`), `<p>(<a href="${url}">${url}</a>).</p>`);
    t.equal(html(`[a](${url})`), link(url, 'a'));
  }
  for (const text of ['obsidian:open', 'obsidian://', 'itms://x/y', 'my-zotero://', 'a_zotero:b']) {
    t.equal(html(text), `<p>${text}</p>`);
  }
  t.equal(html('[a](itms://x/y)'), '<p>[a](itms://x/y)</p>');
});
