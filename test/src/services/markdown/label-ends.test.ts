import MarkdownParser from 'markdown-it';
import t from 'tap';
import { labelEnds } from '../../../../src/services/markdown/label-ends.js';
import { randomOfRun } from '../../../system/harness/scale.js';

const PARTS = [
  '[',
  '[',
  ']',
  ']',
  '](',
  ')',
  '](/a)',
  '![',
  '`',
  '``',
  '\\',
  '*',
  '**',
  'a',
  ' ',
  '[a](/b)',
];

void t.test('links and pictures are those that the parser finds without it', (t) => {
  const random = randomOfRun(t);
  const plain = new MarkdownParser();
  const quick = new MarkdownParser().use(labelEnds);
  const different: string[] = [];
  let links = 0;
  for (let i = 0; i < 20_000; i++) {
    let text = '';
    for (let n = 3 + random() * 30; n > 0; n--) text += PARTS[Math.floor(random() * PARTS.length)]!;
    const html = plain.render(text);
    if (html.includes('<a') || html.includes('<img')) links += 1;
    if (quick.render(text) !== html) different.push(text);
  }
  t.same(different.slice(0, 3), []);
  t.ok(links > 5000, `${links} of 20,000 have a link or a picture`);
  t.end();
});

void t.test('brackets that none closes are passed a few times, not a hundred', (t) => {
  for (const [name, text] of Object.entries({
    'pairs and a bracket more': '[[] '.repeat(2500),
    'with a link at the end': `${'[[] '.repeat(2500)}](/a)`,
    pictures: '![[] '.repeat(2000),
  })) {
    const md = new MarkdownParser().use(labelEnds);
    const skip = md.inline.skipToken.bind(md.inline);
    let steps = 0;
    md.inline.skipToken = (state) => {
      steps += 1;
      skip(state);
    };
    md.renderInline(text);
    t.ok(steps < 5 * text.length, `${name}: ${Math.round(steps / text.length)} steps a character`);
  }
  t.end();
});
