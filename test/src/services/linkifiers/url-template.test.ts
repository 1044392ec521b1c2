import t from 'tap';
import { readUrlTemplate } from '../../../../src/services/linkifiers/url-template.js';

const expanded = (template: string, values: ReadonlyMap<string, string>) =>
  readUrlTemplate(template, 'url_template').expand(values);

// [c:url-template-prefix]
void t.test('RFC 6570: a prefix counts characters of the value', async (t) => {
  const url = (template: string, value: string) => expanded(template, new Map([['a', value]]));
  t.equal(url('{a:2}', '😀😀😀'), '%F0%9F%98%80%F0%9F%98%80');
  t.equal(url('{a:1}', '😀b'), '%F0%9F%98%80');
  t.equal(url('{a:3}', 'é日😀b'), '%C3%A9%E6%97%A5%F0%9F%98%80');
  t.equal(url('{+a:2}', '/😀😀'), '/%F0%9F%98%80');
  t.equal(url('{#a:1}', '😀😀'), '#%F0%9F%98%80');
  t.equal(url('x{.a:1}', '😀.'), 'x.%F0%9F%98%80');
  t.equal(url('{/a:1,a}', '😀.'), '/%F0%9F%98%80/%F0%9F%98%80.');
  t.equal(url('{;a:1}', '😀.'), ';a=%F0%9F%98%80');
  t.equal(url('{?a:1}', '😀.'), '?a=%F0%9F%98%80');
  t.equal(url('x?y{&a:1}', '😀.'), 'x?y&a=%F0%9F%98%80');
  t.equal(url('{a:30}', '😀'), '%F0%9F%98%80', 'longer than the value');
  t.equal(url('{a:2}', '👩‍👩‍👧'), '%F0%9F%91%A9%E2%80%8D', 'code points, not what they look like');
});

/** The examples of RFC 6570, sections 1.2 and 3.2, with text values. */
const RFC_EXAMPLES: readonly (readonly [template: string, address: string])[] = [
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['{var:3}', 'val'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,empty}', '?1024,'],
  ['?{x,undef}', '?1024'],
  ['?{undef,y}', '?768'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{base}index', 'http%3A%2F%2Fexample.com%2Fhome%2Findex'],
  ['{+base}index', 'http://example.com/home/index'],
  ['O{+empty}X', 'OX'],
  ['O{+undef}X', 'OX'],
  ['{+path}/here', '/foo/bar/here'],
  ['up{+path}{var}/here', 'up/foo/barvalue/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{#var}', '#value'],
  ['{#half}', '#50%25'],
  ['foo{#empty}', 'foo#'],
  ['foo{#undef}', 'foo'],
  ['{#x,hello,y}', '#1024,Hello%20World!,768'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['{.who}', '.fred'],
  ['{.half,who}', '.50%25.fred'],
  ['X{.empty}', 'X.'],
  ['X{.undef}', 'X'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/var,empty}', '/value/'],
  ['{/var:1,var}', '/v/value'],
  ['{;v,empty,who}', ';v=6;empty;who=fred'],
  ['{;v,bar,who}', ';v=6;who=fred'],
  ['{;hello:5}', ';hello=Hello'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{?var:3}', '?var=val'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['{&x,y,empty}', '&x=1024&y=768&empty='],
  ['{var*}', 'value'],
  ['%C3%A9/é', '%C3%A9/%C3%A9'],
];

// [c:url-template-examples]
void t.test('RFC 6570: the examples of the RFC', async (t) => {
  const values = new Map(
    Object.entries({
      var: 'value',
      hello: 'Hello World!',
      half: '50%',
      base: 'http://example.com/home/',
      path: '/foo/bar',
      empty: '',
      who: 'fred',
      v: '6',
      x: '1024',
      y: '768',
    }),
  );
  for (const [template, address] of RFC_EXAMPLES) {
    t.equal(expanded(template, values), address, template);
  }
});
