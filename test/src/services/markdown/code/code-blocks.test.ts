import { Script } from 'node:vm';
import t from 'tap';
import { html } from '../fixtures.js';

const block = (text: string, language?: string): string =>
  `<div class="codehilite"${language === undefined ? '' : ` data-code-language="${language}"`}>` +
  `<pre><span></span><code>${text}</code></pre></div>`;

/** What stands in code, which has some coloured parts: each as `class:text`. */
function parts(code: string): string[] {
  const found = html(`~~~~${code}\n~~~~`).matchAll(/<span class="(\w+)">(.*?)<\/span>/g);
  return [...found].map(([, name = '', text = '']) => `${name}:${text}`);
}

void t.test('code has the classes that style sheets know', async (t) => {
  t.equal(
    html('```py\ndef f(self):\n    return "a"\n```'),
    block(
      '<span class="k">def</span> <span class="nf">f</span><span class="p">(</span>' +
        '<span class="bp">self</span><span class="p">):</span>\n    ' +
        '<span class="k">return</span> <span class="s2">&quot;a&quot;</span>\n',
      'Python',
    ),
  );
  const cases: Readonly<Record<string, string[]>> = {
    'python\nimport os # a': ['kn:import', 'n:os', 'c1:# a'],
    'python\nnot None in 0x1f': ['ow:not', 'kc:None', 'ow:in', 'mh:0x1f'],
    'python\n@a\nclass B(ValueError): pass': [
      'nd:@a',
      'k:class',
      'nc:B',
      'p:(',
      'ne:ValueError',
      'p:):',
      'k:pass',
    ],
    'js\nconst a = `b`; // c': ['kd:const', 'nx:a', 'o:=', 'sb:`b`', 'p:;', 'c1:// c'],
    'c\nint x = 1.5; /* a\nb */': ['kt:int', 'n:x', 'o:=', 'mf:1.5', 'p:;', 'cm:/* a', 'cm:b */'],
    'json\n{"a": [true, 1]}': [
      'p:{',
      'nt:&quot;a&quot;',
      'o::',
      'p:[',
      'kc:true',
      'p:,',
      'mi:1',
      'p:]}',
    ],
    'tex\n\\pi{a}': ['k:\\pi', 'nb:{', 'nb:}'],
    'diff\n-a\n+b': ['gd:-a', 'gi:+b'],
    'html\n<a b="c">d</a>': [
      'p:&lt;',
      'nt:a',
      'na:b',
      'o:=',
      's:&quot;c&quot;',
      'p:&gt;',
      'p:&lt;/',
      'nt:a',
      'p:&gt;',
    ],
    'sql\nSELECT a FROM b -- c': ['k:SELECT', 'n:a', 'k:FROM', 'n:b', 'c1:-- c'],
    'rust\nfn a() -> u8 { 1 }': ['k:fn', 'nf:a', 'p:()', 'o:-&gt;', 'kt:u8', 'p:{', 'mi:1', 'p:}'],
  };
  for (const [code, expected] of Object.entries(cases)) t.strictSame(parts(code), expected, code);
});

void t.test('without a language the first line may tell it', async (t) => {
  t.strictSame(parts('\n#!/usr/bin/python3\n1'), ['ch:#!/usr/bin/python3', 'mi:1']);
  t.match(html('~~~\n#!/bin/bash\necho\n~~~'), /^<div class="codehilite"><pre>/, 'it is not named');
  t.equal(html('~~~\n#!unheard\n1\n~~~'), block('#!unheard\n1\n'));
  t.equal(html('~~~text\nimport 1\n~~~'), block('import 1\n', 'Text only'));
});

void t.test('nothing of code is interpreted', async (t) => {
  t.equal(
    html('~~~html\n<script>alert("1")</script>&lt;\n~~~').replaceAll(/<\/?span[^>]*>/g, ''),
    block('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;lt;\n', 'HTML').replaceAll(
      /<\/?span[^>]*>/g,
      '',
    ),
  );
  t.equal(
    html('~~~\n<span class="fragment-0"></span>\n~~~'),
    block('&lt;span class=&quot;fragment-0&quot;&gt;&lt;/span&gt;\n'),
  );
  t.equal(
    html('a <span class="fragment-0"></span> ```b"```').includes('class="fragment'),
    true,
    'is text',
  );
});

const NUMBER = '<span class="mi">';
const numbersIn = (output: string): number => output.split(NUMBER).length - 1;

void t.test('code beyond the bounds is plain', async (t) => {
  const line = 'x = 1\n';
  const short = html(`~~~python\n${line.repeat(100)}~~~\n\n~~~python\n${line.repeat(1600)}~~~`);
  t.equal(numbersIn(short), 100, 'a block of more characters than all may have');
  const dense = html(`~~~python\n${'1,'.repeat(2900)}\n~~~`);
  t.equal(numbersIn(dense), 1250, 'the parts of one message');
  t.equal(numbersIn(html('~~~python\n1\n~~~\n'.repeat(101))), 100, 'the blocks of one message');
  t.match(dense, /1,1,1,\n<\/code>/);
});

void t.test('a short block starts no thread that watches it, and a long one does', async (t) => {
  const { prototype } = Script;
  // Calls go through.
  const runs = t.capture(prototype, 'runInContext', Reflect.get(prototype, 'runInContext'));
  const watched = (): number =>
    runs().filter(
      ({ args: [, options] }) => typeof options === 'object' && options.timeout !== undefined,
    ).length;
  t.strictSame(parts('python\nprint(1)'), ['nb:print', 'p:(', 'mi:1', 'p:)']);
  html('```js\nlet a;\n```\n'.repeat(20));
  t.equal(watched(), 0);
  t.match(html(`\`\`\`py\n${'f(1)\n'.repeat(100)}\`\`\``), /<span class="n">f<\/span>/);
  t.equal(watched(), 1);
});
