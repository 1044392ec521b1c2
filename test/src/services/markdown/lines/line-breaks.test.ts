import t from 'tap';
import { html } from '../fixtures.js';

void t.test('lines are as they were written', async (t) => {
  t.equal(html('a\n  b'), '<p>a<br>\n  b</p>');
  t.equal(html('**a**  \n*b* '), '<p><strong>a</strong>  <br>\n<em>b</em> </p>');
  t.equal(html('* a \n* b'), '<ul>\n<li>a </li>\n<li>b</li>\n</ul>');
  t.equal(html('` a ` `` b ``'), '<p><code> a </code> <code> b </code></p>');
});

void t.test('nothing is strong or emphasized across lines', async (t) => {
  t.equal(html('a **b\nc** d'), '<p>a **b<br>\nc** d</p>');
  t.equal(html('*a\nb* *c*'), '<p>*a<br>\nb* <em>c</em></p>');
  t.equal(
    html('**a** *b\n*c* **d**'),
    '<p><strong>a</strong> *b<br>\n<em>c</em> <strong>d</strong></p>',
  );
  t.equal(html('[**a**\n**b**](https://x.com) **c**').split('<strong>').length, 4);
});

void t.test('text between double tildes of one line is deleted text', async (t) => {
  t.equal(html('a ~~b~~ ~~ c **d** ~~'), '<p>a <del>b</del> <del> c <strong>d</strong> </del></p>');
  for (const text of ['~~~~', '~~a', 'a~~', '~~~a~~~', '~~a\nb~~', '~a~']) {
    t.equal(html(`x ${text}`), `<p>x ${text.replace('\n', '<br>\n')}</p>`, 'is none');
  }
  t.equal(html('**a ~~b** c~~'), '<p>**a <del>b** c</del></p>');
});

void t.test('items with different marks make one list', async (t) => {
  t.equal(html('* a\n- b\n+ c'), '<ul>\n<li>a</li>\n<li>b</li>\n<li>c</li>\n</ul>');
  t.equal(
    html('* a\n1. b\n* c'),
    '<ul>\n<li>a</li>\n</ul>\n<ol>\n<li>b</li>\n</ol>\n<ul>\n<li>c</li>\n</ul>',
  );
});

void t.test('a quotation of nothing is text', async (t) => {
  t.equal(html('>'), '<p>&gt;</p>');
  t.equal(html('>>'), '<blockquote>\n<p>&gt;</p>\n</blockquote>');
  t.equal(html('>\n> \n\na'), '<p>&gt;<br>\n&gt;</p>\n<p>a</p>');
  t.equal(
    html('>\n>\na **b**\n\nc'),
    '<blockquote>\n<p>a <strong>b</strong></p>\n</blockquote>\n<p>c</p>',
  );
  t.equal(html('>\n> a'), '<blockquote>\n<p>a</p>\n</blockquote>');
});
