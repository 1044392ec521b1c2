import t from 'tap';
import { renderFor } from '../../../../../src/organization/messages/sending/send-message.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../../fixtures/living-organization.js';

const markdown = createMarkdown();

void t.test('settings of the sender and the organization decide how a text is read', async (t) => {
  const world = new LivingOrganization();
  const [ann, bob] = [world.addUser('ann@example.com'), world.addUser('bob@example.com')];
  world.presetSettings(ann, { translate_emoticons: true });
  const html = (user: typeof ann, text: string) => renderFor(world.org, markdown, user, text).html;
  t.match(html(ann, 'well :)'), /<p>well <span [^>]*class="emoji /);
  t.equal(html(bob, 'well :)'), '<p>well :)</p>');
  const code = '```\nlet x = 1;\n```';
  t.notMatch(html(bob, code), 'data-code-language');
  world.setRealm({ default_code_block_language: 'rust' });
  t.match(html(bob, code), 'data-code-language="Rust"');
});
