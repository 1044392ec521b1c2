import t from 'tap';
import { recordLogin } from '../../../../src/organization/accounts/accounts.js';
import { welcomeUser } from '../../../../src/organization/invitations/welcome.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization, START_MS } from '../../../fixtures/living-organization.js';

const markdown = createMarkdown();

const mailed = ({ org }: LivingOrganization) =>
  [...org.mails.values()].map(({ to, content }) => [to, content]);

void t.test('who joins gets a mail, where the organization sends them', async (t) => {
  const world = new LivingOrganization();
  const ann = world.addUser('ann@example.com');
  world.transact((tx) => welcomeUser(tx, markdown, ann));
  t.strictSame(mailed(world), [['ann@example.com', { kind: 'welcome', full_name: 'ann' }]]);
  world.setRealm({ send_welcome_emails: false });
  const bob = world.addUser('bob@example.com');
  world.transact((tx) => welcomeUser(tx, markdown, bob));
  t.equal(mailed(world).length, 1);
});

void t.test('who wants it gets a mail when somebody logs in', async (t) => {
  const world = new LivingOrganization();
  const ann = world.addUser('ann@example.com');
  const bob = world.addUser('bob@example.com');
  world.presetSettings(bob, { enable_login_emails: false });
  const login = (user: typeof ann) =>
    world.transact((tx) => recordLogin(tx, world.user(user.user_id)));
  login(ann);
  t.strictSame(mailed(world), [], 'not who has just joined');
  world.clock.advance(60_000);
  login(ann);
  login(bob);
  const content = { kind: 'new_login', full_name: 'ann', at: START_MS + 60_000 };
  t.strictSame(mailed(world), [['ann@example.com', content]]);
});
