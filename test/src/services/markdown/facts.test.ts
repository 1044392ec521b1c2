import t from 'tap';
import { render } from './fixtures.js';

const facts = (source: string): Record<string, unknown> => {
  const { has_link, has_image, has_attachment, attachments } = render(source);
  return { has_link, has_image, has_attachment, attachments };
};
const PLAIN = { has_link: false, has_image: false, has_attachment: false, attachments: [] };

void t.test('a text without links has no facts', async (t) => {
  t.same(facts('a'), PLAIN);
  t.same(facts('`https://x.com/a.png` [a]()'), PLAIN);
});

void t.test('a link, and an image by its name, are found', async (t) => {
  t.same(facts('https://x.com'), { ...PLAIN, has_link: true });
  t.same(facts('[a](https://x.com/i.PNG?x=1)'), { ...PLAIN, has_link: true, has_image: true });
  t.same(facts('> ![a](https://x.com/i.jpeg)'), { ...PLAIN, has_link: true, has_image: true });
  t.same(facts('https://x.com/?i.png'), { ...PLAIN, has_link: true });
});

void t.test('attachments are found by their path id, each once', async (t) => {
  t.same(
    facts(
      '[b](/user_uploads/2/b/x%20y.txt) [a](/user_uploads/2/a/é.png#p) [b](/user_uploads/2/b/x%20y.txt)',
    ),
    {
      has_link: true,
      has_image: true,
      has_attachment: true,
      attachments: ['2/a/é.png', '2/b/x y.txt'],
    },
  );
  t.same(
    facts(
      'https://chat.example.com/user_uploads/2/a/x.txt https://other.example/user_uploads/2/a/y',
    ).attachments,
    ['2/a/x.txt'],
    'also by the full address of this server',
  );
  t.same(facts('[a](/user_uploads/2/%ff)').attachments, ['2/%ff'], 'badly encoded');
});
