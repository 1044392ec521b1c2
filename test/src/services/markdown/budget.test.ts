import t from 'tap';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { directory } from './fixtures.js';

const markdown = createMarkdown({
  onError: (error) => {
    throw error;
  },
});
const html = (source: string): string => markdown.render(source, directory).html;
const links = (source: string): number => html(source).split('<a ').length - 1;

void t.test('brackets beyond what anybody writes begin no link', async (t) => {
  const link = '[x](https://x.example/)';
  t.equal(links(`${link} `.repeat(100)), 100);
  t.equal(links(`${link} ${'['.repeat(1000)}`), 1);
  t.equal(links(`${'['.repeat(1000)} ${link}`), 1, 'its address is still linked');
  t.match(html(`${'['.repeat(1000)} ${link}`), /\[x\]\(<a /);
  t.equal(html('!['.repeat(2000)), `<p>${'!['.repeat(2000)}</p>`);
});
