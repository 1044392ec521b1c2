import t from 'tap';
import { mailText, pushText } from '../../../../src/services/text/mail-text.js';
import { html } from '../markdown/fixtures.js';

void t.test('mails and notices show formulas as they were written', async (t) => {
  const rendered = html('a $$\\frac{1}{x}$$ **b** $$y<1$$\n```math\nz\n```');
  t.equal(pushText(rendered), 'a $$\\frac{1}{x}$$ b $$y<1$$\n$$z$$');
  t.equal(
    mailText('', rendered, 'https://chat.example.com').html,
    '<p>a $$\\frac{1}{x}$$ <strong>b</strong> $$y&lt;1$$</p>\n<p><span>$$z$$</span></p>',
  );
});
