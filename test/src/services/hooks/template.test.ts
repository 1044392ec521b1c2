import t from 'tap';
import { AnomalousPayload, Payload } from '../../../../src/services/hooks/payload.js';
import { sender, type Row } from '../../../../src/services/hooks/sender.js';
import { plainTemplate, textTemplate } from '../../../../src/services/hooks/template.js';

const PAYLOAD = {
  name: 'build',
  state: 'PASSED',
  ref: 'refs/heads/a/b',
  url: 'https://ci.example/(1)',
  ok: true,
  zero: 0,
  empty: '',
  list: [{ id: 1 }, { id: 2 }],
  html: '<p>one &amp; <b>two</b></p><p>three</p>',
  message: 'first\nsecond',
  mention: '@**all** *x*',
  wordy: '{status:{from:1}}',
};

function said(template: string, words = {}): string {
  const header = (name: string) => (name === 'x-kind' ? 'push' : '');
  const scope = { event: 'kind_of', header, payload: new Payload(PAYLOAD) };
  return textTemplate(template, words)(scope).replaceAll('\u200b', '^');
}

void t.test('a template says what is at its places', async (t) => {
  for (const [template, text] of [
    ["{name} {missing|empty|name} {missing|'none'} {ok} {zero}", 'build build none true 0'],
    ['{list.1.id} {$event:spaced} {#x-kind}', '2 kind of push'],
    ['{ref:branch:code} {ref:last:bold} {state:lower}', '`a/b` **b** passed'],
    ['{message:first}: {message:quote}', 'first: \n\n~~~ quote\nfirst\nsecond\n~~~'],
    ['{html:html}', 'one & two three'],
    ['{wordy:word} {name:=constant} {ref:short}', 'status constant refs/heads/'],
    ['{list:count commit}, {zero:count day}', '2 commits, 0 days'],
    ['{mention} {mention:bold} {mention:markdown}', '@^**all** *x* **@^all x** @^**all** *x*'],
    [
      '[{name} 1](url) [{name}](missing|url)',
      '[build 1](<https://ci.example/(1)>) [build](<https://ci.example/(1)>)',
    ],
    [
      '[{name}](missing) [{name}](https://a.example/{name}/x)',
      'build [build](https://a.example/build/x)',
    ],
    ['a<< {missing}>><< [b](missing)>><< {name}>> < >', 'a build < >'],
  ] as const) {
    t.equal(said(template), text, template);
  }
  t.equal(said('{state:@states} {name:@states}', { states: { PASSED: 'well' } }), 'well build');
});

void t.test('a value that is missing makes the payload none of the service', async (t) => {
  for (const template of ['{missing}', '{empty}', '{list}', '[{missing}](url)']) {
    try {
      said(template);
      t.fail(template);
    } catch (error) {
      t.type(error, AnomalousPayload, template);
    }
  }
});

void t.test('a malformed template is refused when it is compiled', async (t) => {
  for (const template of ['{name', '[a](url', '<<a', '{name:nothing}', '{name:@nothing}', '>>']) {
    t.throws(() => textTemplate(template), /template/, template);
  }
  t.throws(() => plainTemplate('{name:bold}'), /A mark in a plain template/);
});

void t.test('the first row whose condition holds makes the message', async (t) => {
  const message = (payload: object, ...rows: Row[]) => {
    const made = sender({
      name: 'x',
      displayName: 'X',
      docs: '',
      event: '',
      topic: 'x',
      events: { '': rows },
    });
    return made.message('', new Payload(payload))?.content ?? null;
  };
  const rows = [
    { when: 'a=1|2 & !b', text: 'one' },
    { when: 'a!=3', text: 'two' },
    { when: 'b', text: 'three', each: ['c', '{.}'] as const },
  ];
  t.equal(message({ a: 2 }, ...rows), 'one');
  t.equal(message({ a: 2, b: true }, ...rows), 'two');
  t.equal(message({ a: 3, b: true, c: ['x', 'y'] }, ...rows), 'three\n* x\n* y');
  t.equal(message({ a: 3 }, ...rows), null);
});
