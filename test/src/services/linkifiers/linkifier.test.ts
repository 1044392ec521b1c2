import t from 'tap';
import { LinkifierBudget } from '../../../../src/services/linkifiers/budget.js';
import { Linkifier, type LinkifierSource } from '../../../../src/services/linkifiers/linkifier.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { processorTime, takesLess } from '../../../fixtures/machine-load.js';

const BASE: LinkifierSource = {
  pattern: '#(?P<id>[0-9]+)',
  url_template: 'https://tracker.example/{id}',
  example_input: null,
  reverse_template: null,
  alternative_url_templates: [],
};

const linksOf = (source: Partial<LinkifierSource>, text: string) => [
  ...Linkifier.read({ ...BASE, ...source }).linksIn(text, new LinkifierBudget(() => 0)),
];
const faultOf = (source: Partial<LinkifierSource>) => {
  try {
    Linkifier.read({ ...BASE, ...source });
    return null;
  } catch (error) {
    const { field, message } = error as { field: string | null; message: string };
    return [field, message];
  }
};

void t.test('a link is a word of its own, and every one is found', async (t) => {
  const found = (text: string) => linksOf({}, text).map(({ text, index }) => `${text}@${index}`);
  t.strictSame(found('#12'), ['#12@0']);
  t.strictSame(found('see #1 #2,#3 (#4) "#5"'), ['#1@4', '#2@7', '#3@10', '#4@14', '#5@19']);
  t.strictSame(found('a#1 #2b #3\u00e4'), [], 'inside of words');
  t.strictSame(found('\u00a0#7\u3000#8.'), ['#7@1', '#8@4'], 'any space');
  t.strictSame(found(''), []);
});

// [c:url-templates]
void t.test('RFC 6570: values are encoded as their expression says', async (t) => {
  const pattern = '(?P<org>[a-z]+)/(?P<path>[^\\s]+)';
  const url = (url_template: string) => linksOf({ pattern, url_template }, 'zed/a b&c?d/é')[0]?.url;
  t.equal(url('https://x.example/{org}/{path}'), 'https://x.example/zed/a');
  const one = linksOf({ pattern, url_template: 'https://x.example/{org}{/path}' }, 'zed/ä&/q')[0];
  t.equal(one?.url, 'https://x.example/zed/%C3%A4%26%2Fq');
  const reserved = linksOf(
    { pattern, url_template: 'https://x.example/{org}/{+path}' },
    'z/a/b?c',
  )[0];
  t.equal(reserved?.url, 'https://x.example/z/a/b?c');
  const query = linksOf({ pattern, url_template: 'https://x.example/{?org,path}' }, 'z/a')[0];
  t.equal(query?.url, 'https://x.example/?org=z&path=a');
  const optional = linksOf(
    {
      pattern: '#(?P<id>[0-9]+)(?:-(?P<note>[0-9]+))?',
      url_template: 'https://x.example/{id}{?note}',
    },
    '#1 #2-3',
  ).map((link) => link.url);
  t.strictSame(optional, ['https://x.example/1', 'https://x.example/2?note=3']);
});

void t.test('a group may have any name', async (t) => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
    const pattern = `#(?P<${name}>[0-9]+)(?:-(?P<other>[0-9]+))?`;
    const found = linksOf(
      {
        pattern,
        url_template: `https://x.example/{${name}}{?other}`,
        example_input: '#12-3',
        reverse_template: `#{${name}}-{other}`,
      },
      '#1 #2-3',
    );
    t.strictSame(
      found.map((link) => link.url),
      ['https://x.example/1', 'https://x.example/2?other=3'],
      name,
    );
    const absent = `(?:(?P<${name}>[0-9]+)|(?P<b>[a-z]+))`;
    const [one] = linksOf({ pattern: absent, url_template: `https://x.example/{b}{${name}}` }, 'z');
    t.equal(one?.url, 'https://x.example/z', `${name} takes no part`);
  }
});

// [c:link-not-made]
void t.test('a link that cannot be made is no link, and nothing else fails', async (t) => {
  const source = {
    pattern: 'doc/(?P<a>\\S+)',
    url_template: 'https://d.example.com/{a}{?a:1}',
  };
  const urls = (text: string) => linksOf(source, text).map((link) => link.url);
  t.strictSame(urls('doc/\ud83d doc/x doc/\ude00y'), ['https://d.example.com/x?a=x']);
  // Pieces of a long text end everywhere, also inside of a character.
  for (let length = 1; length <= 40; length += 1) {
    const text = `${'-'.repeat(length)} ${'doc/😀😀😀😀 '.repeat(1200)}`;
    t.equal(urls(text).length, 500, `behind ${length}`);
    t.ok(
      urls(text).every(
        (url) => url === `https://d.example.com/${'%F0%9F%98%80'.repeat(4)}?a=%F0%9F%98%80`,
      ),
    );
  }
});

// [c:linkifier-faults]
void t.test('bad patterns and templates are refused, with the field', async (t) => {
  const regex = (pattern: string) => faultOf({ pattern });
  t.strictSame(regex('(?P<id>'), [
    'pattern',
    'Bad regular expression: missing closing ): `(?P<id>`',
  ]);
  for (const pattern of ['(?=x)(?P<id>x)', '(?P<id>x)\\1', '*(?P<id>x)', '(?P<id>[)']) {
    t.match(regex(pattern), ['pattern', /^Bad regular expression: /], pattern);
  }
  t.match(regex('(?P<id>[0-9]*)'), ['pattern', /matches the empty text/]);
  t.match(regex('(?P<id>[a-z]{1,900})'), ['pattern', /too large/]);
  t.match(regex('(?P<linkifier_actual_match>x)'), ['pattern', /reserved/]);
  for (const url_template of [
    '',
    'https://x.example/{id',
    'https://x.example/id}',
    'https://x.example/{}',
    'https://x.example/{id }',
    'https://x.example/{!id}',
    'https://x.example/{id:0}',
    'https://x.example/ {id}',
    'https://x.example/%zz{id}',
    'javascript:alert({id})',
    'data:text/html,{id}',
  ]) {
    t.strictSame(
      faultOf({ url_template }),
      ['url_template', 'Invalid URL template.'],
      url_template,
    );
  }
  t.strictSame(faultOf({ url_template: 'https://x.example/{id}/{other}' }), [
    null,
    "Group 'other' in URL template is not present in linkifier pattern.",
  ]);
  t.strictSame(faultOf({ url_template: 'https://x.example/' }), [
    null,
    "Group 'id' in linkifier pattern is not present in URL template.",
  ]);
  const alternatives = (...alternative_url_templates: string[]) =>
    faultOf({ alternative_url_templates });
  t.equal(alternatives('https://old.example/?id={id}'), null);
  t.strictSame(alternatives('https://old.example/{id'), [
    'alternative_url_templates',
    'Invalid URL template.',
  ]);
  t.strictSame(alternatives('https://old.example/'), [
    'alternative_url_templates',
    "Group 'id' in linkifier pattern is not present in URL template.",
  ]);
});

void t.test('no text can make a link to an unsafe place', async (t) => {
  const source = { pattern: '(?P<url>[a-z]+:[^ ]+)', url_template: '{+url}' };
  t.strictSame(linksOf(source, 'javascript:alert(1)'), []);
  t.equal(linksOf(source, 'https://x.example/').length, 1);
});

// [c:reverse-templates]
void t.test('a reverse template gives the example back', async (t) => {
  const reverse = (reverse_template: string | null, example_input: string | null = '#12') =>
    faultOf({ example_input, reverse_template });
  t.equal(reverse('#{id}'), null);
  t.equal(reverse(null), null);
  t.equal(
    faultOf({
      pattern: '\\{(?P<id>[0-9]+)\\}',
      example_input: '{12}',
      reverse_template: '{{{id}}}',
    }),
    null,
    'doubled braces are literal ones',
  );
  t.strictSame(reverse('{id}'), [
    'reverse_template',
    'The reverse template must reproduce the example input.',
  ]);
  t.strictSame(reverse('#{other}'), [
    'reverse_template',
    "Variable 'other' in reverse template is not present in linkifier pattern.",
  ]);
  for (const template of ['#{id', '#id}', '#{}', '#{i d}']) {
    t.strictSame(reverse(template), ['reverse_template', 'Invalid reverse template.'], template);
  }
  t.match(reverse('#{id}', null), ['example_input', /needs an example input/]);
  t.match(reverse('#{id}', 'twelve'), ['example_input', /does not match/]);
  t.match(reverse(null, 'twelve'), ['example_input', /does not match/]);
});

void t.test('in messages: in text, not in code and not in other links', async (t) => {
  const markdown = createMarkdown();
  const linkifiers = [
    Linkifier.read(BASE),
    Linkifier.read({
      ...BASE,
      pattern: '(?P<id>#[0-9]+x)',
      url_template: 'https://x.example/{id}',
    }),
  ];
  const none = () => undefined;
  const directory = {
    userByName: none,
    userById: none,
    groupByName: none,
    channelByName: none,
    linkifiers,
  };
  const html = (source: string) => markdown.render(source, directory).html;
  const link = (text: string, url = `https://tracker.example/${text.slice(1)}`) =>
    `<a href="${url}">${text}</a>`;
  t.equal(
    html('see #12 and **#13**'),
    `<p>see ${link('#12')} and <strong>${link('#13')}</strong></p>`,
  );
  t.equal(html('`#12`'), '<p><code>#12</code></p>');
  t.match(html('```\n#12\n```'), /#12/);
  t.notMatch(html('```\n#12\n```'), /tracker/);
  t.notMatch(html('[see #12](https://example.com/)'), /tracker/);
  t.notMatch(html('https://example.com/ #'), /tracker/);
  t.equal(html('#12x'), `<p>${link('#12x', 'https://x.example/%2312x')}</p>`);
  t.strictSame(markdown.renderTopicLinks('fix #7', linkifiers), [
    { text: '#7', url: 'https://tracker.example/7' },
  ]);
});

void t.test('the worst message takes bounded time', async (t) => {
  const markdown = createMarkdown();
  const none = () => undefined;
  const linkifiers = Array.from({ length: 100 }, (_, i) =>
    Linkifier.read({ ...BASE, pattern: `(?P<id>(?:a{1,20}b?){1,8}${i})` }),
  );
  const directory = { userByName: none, userById: none, groupByName: none, channelByName: none };
  const source = 'aab99 aaab '.repeat(900);
  const plain = markdown.render(source, directory).html;
  const render = (): void => {
    const { html } = markdown.render(source, { ...directory, linkifiers });
    t.equal(html.length >= plain.length, true);
  };
  await takesLess(t, 'a hundred linkifiers', 2000, () => processorTime(render));
});

void t.test('all patterns of a message share one budget of time', async (t) => {
  // Searching for this takes long wherever the text has a b.
  const dear = (i: number) =>
    Linkifier.read({
      ...BASE,
      pattern: `(?P<id>(?:a?){90}a{90}b${i})`,
    });
  const first = Linkifier.read(BASE);
  const linkifiers = [first, ...Array.from({ length: 60 }, (_, i) => dear(i))];
  const text = `#1 ${"abc' b1 b2".repeat(990)}`;
  const markdown = createMarkdown();
  const nobody = {
    userByName: () => undefined,
    userById: () => undefined,
    groupByName: () => undefined,
    channelByName: () => undefined,
  };
  await takesLess(t, 'sixty dear ones', 100, () => {
    let html = '';
    const took = processorTime(() => ({ html } = markdown.render(text, { ...nobody, linkifiers })));
    t.match(
      html,
      /<a href="https:\/\/tracker\.example\/1">#1<\/a>/,
      'the first in order has its turn',
    );
    return took;
  });
});

void t.test('the budget counts time, links and addresses', async (t) => {
  let now = 0;
  const late = new LinkifierBudget(() => now);
  const found = [...Linkifier.read(BASE).linksIn('#1 #2', late)];
  t.equal(found.length, 2);
  now = 21;
  t.equal([...Linkifier.read(BASE).linksIn('#1', late)].length, 1, 'short ones are free');
  late.maySearch(250_000);
  t.strictSame([...Linkifier.read(BASE).linksIn('#1', late)], [], 'no time');
  t.equal(linksOf({}, '#1 '.repeat(600)).length, 500, 'links');
  const url_template = `https://tracker.example/${'{id}'.repeat(50)}`;
  const long = linksOf({ url_template }, `#${'1'.repeat(30)} `.repeat(100));
  t.equal(long.length, Math.ceil(65_536 / (24 + 50 * 30)), 'characters of addresses');
  t.strictSame(
    linksOf({ url_template }, `#${'1'.repeat(60)}`),
    [],
    'one that is too long stays text',
  );
  t.strictSame(faultOf({ url_template: `${url_template}{id}` }), [
    'url_template',
    'Invalid URL template.',
  ]);
});

void t.test(
  'a long text is searched piece by piece, and nothing between them is lost',
  async (t) => {
    const pattern = '(?P<id>[a-z]{1,150}[0-9]{1,9})';
    const word = (i: number) => `${'x'.repeat(i % 120)}${i}`;
    const words = Array.from({ length: 160 }, (_, i) => word(i + 1));
    const found = linksOf(
      { pattern, url_template: 'https://tracker.example/{id}' },
      words.join(' '),
    );
    t.strictSame(
      found.map((one) => one.text),
      words.filter((one) => /^x/.test(one)),
    );
    t.strictSame(linksOf({}, `#${'1'.repeat(200)}`), [], 'longer than a link may be');
    // Not in the address, where each would have twelve characters.
    const emoji = { pattern: '(?P<id>doc)/\\S+', url_template: 'https://tracker.example/{id}' };
    const longest = `doc/${'😀'.repeat(196)}`;
    t.equal(linksOf(emoji, longest)[0]?.text, longest, '200 code points');
    t.strictSame(linksOf(emoji, `${longest}😀`), [], '201 code points');
  },
);

void t.test(
  'a pattern of very many classes is refused, for it takes long to compile',
  async (t) => {
    t.strictSame(faultOf({ pattern: `(?i)(?P<id>${'\\PL'.repeat(21)})` }), [
      'pattern',
      'Bad regular expression: the pattern is too large',
    ]);
  },
);
