import t from 'tap';
import { html } from '../fixtures.js';

void t.test('two spaces nest a list in a numbered one', async (t) => {
  t.equal(
    html('1. A\n2. B\n  3. C'),
    '<ol>\n<li>A</li>\n<li>B<ol start="3">\n<li>C</li>\n</ol>\n</li>\n</ol>',
  );
  t.equal(
    html('1. a\n  2. b\n    3. c\n    3. d\n  2. e\n2. f'),
    '<ol>\n<li>a<ol start="2">\n<li>b<ol start="3">\n<li>c</li>\n<li>d</li>\n</ol>\n</li>\n<li>e</li>\n</ol>\n' +
      '</li>\n<li>f</li>\n</ol>',
  );
  t.equal(
    html('10. a\n  * b\n  * c'),
    '<ol start="10">\n<li>a<ul>\n<li>b</li>\n<li>c</li>\n</ul>\n</li>\n</ol>',
  );
  t.equal(html('1. a\n 2. b'), '<ol>\n<li>a</li>\n<li>b</li>\n</ol>', 'one space does not');
});

void t.test('what stands in an item moves with it, code included', async (t) => {
  t.equal(
    html('1. a\n  * b\n    ```\n    x\n      y\n    ```\n2. c'),
    '<ol>\n<li>a<ul>\n<li>b<div class="codehilite"><pre><span></span><code>x\n  y\n</code></pre></div>\n</li>\n' +
      '</ul>\n</li>\n<li>c</li>\n</ol>',
  );
  const code = '```\n1. a\n  2. b\n```';
  t.match(html(code), /<code>1. a\n {2}2. b\n<\/code>/, 'lists in code stay as they are');
  t.match(html('    1. a\n      2. b'), /<code>1. a\n {2}2. b\n<\/code>/, 'in indented code too');
});
