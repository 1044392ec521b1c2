import t from 'tap';
import {
  renderFor,
  SenderDirectory,
} from '../../../../../src/organization/messages/sending/outgoing-message.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../../fixtures/living-organization.js';
import { SmallOrganization } from '../fixtures/small-organization.js';

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

function namesakes(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.user(3, 'Bob');
  small.user(4, 'Zoe', 400, { is_active: false });
  small.channel(1, 'general');
  small.channel(2, 'secret', { invite_only: true });
  return small;
}

void t.test('names are found at the first look and at later ones alike', async (t) => {
  const small = namesakes();
  const names = ['Bob', 'Ann', 'Zoe', 'bob', 'Bob'];
  const directory = new SenderDirectory(small.org, small.org.users.get(1)!);
  t.same(
    names.map((name) => directory.userByName(name)?.user_id),
    [2, 1, undefined, undefined, 2],
  );
  const each = names.map((name) =>
    new SenderDirectory(small.org, small.org.users.get(1)!).userByName(name),
  );
  t.same(
    each.map((user) => user?.user_id),
    [2, 1, undefined, undefined, 2],
  );
});

void t.test('a sender can name what they can see', async (t) => {
  const small = namesakes();
  const { html, mentions } = renderFor(
    small.org,
    markdown,
    small.org.users.get(1)!,
    '#**general** #**secret** @**Bob|3**',
  );
  t.match(html, 'data-stream-id="1"');
  t.notMatch(html, 'data-stream-id="2"');
  t.same(mentions.users, [3]);
  small.load('user_group', { ...small.org.groups.system('role:nobody'), deactivated: true });
  const directory = new SenderDirectory(small.org, small.org.users.get(1)!);
  t.equal(directory.groupByName('role:nobody'), undefined);
});
