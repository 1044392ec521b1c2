import t from 'tap';
import type { Shown } from '../../../../src/resources/pages/page.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';

const RESET = '/accounts/password/reset/';

// [c:sign-up-session]
void t.test(
  'who joins in a browser is logged in, where a page of ours asked for a password',
  async (t) => {
    const world = new InviteWorld({ logins: ['LDAP'] });
    const { org, sessions } = world;
    const join = async (email: string) => {
      await world.invite(world.admin, email);
      const outcome = await world.register(world.mailedKey(email), {
        full_name: email.split('@')[0]!,
      });
      const user = org.users.byRealEmail(email)!;
      return { user, outcome: outcome as Shown };
    };
    world.browser = { isFromOwnPage: true };
    const { user: zoe, outcome } = await join('zoe@x.org');
    t.equal(outcome.leadsTo, '/');
    const cookies = outcome.cookies!.map((line) => line.split(';')[0]!).join('; ');
    t.equal(sessions.find(cookies)!.user.user_id, zoe.user_id);
    t.match(outcome.cookies, [
      /; HttpOnly; SameSite=Lax; Secure$/,
      /; HttpOnly; SameSite=Lax; Secure$/,
    ]);

    world.browser = { isFromOwnPage: false, cookies };
    const foreign = await join('anna@x.org');
    t.strictSame([foreign.outcome.cookies, foreign.outcome.leadsTo], [undefined, undefined]);
    t.match(foreign.outcome.page.text, 'Log in in this browser');
    t.ok(sessions.find(cookies), 'the page of another site changes no login');

    world.browser = { isFromOwnPage: true };
    world.ofDirectory.add('dora@x.org');
    const { outcome: ofDirectory } = await join('dora@x.org');
    t.equal(ofDirectory.cookies, undefined, 'who has their password elsewhere shows it first');

    world.browser = { isFromOwnPage: true, cookies };
    const { user: bob } = await join('bobb@x.org');
    t.equal(sessions.find(cookies), null, 'as a login, it ends the session that the browser had');
    t.strictSame(
      [...org.sessions.values()].map(({ user_id }) => user_id),
      [bob.user_id],
    );
  },
);

// [c:reset-session]
void t.test(
  'who sets a password in a browser is logged in, but not past a second factor',
  async (t) => {
    const world = new InviteWorld();
    const { hamlet, sessions } = world;
    world.clock.advance(86_400_000);
    const mails = () =>
      [...world.org.mails.values()].filter(({ content }) => content.kind === 'new_login');
    const reset = async (password: string) => {
      await world.visit('POST', RESET, { email: hamlet.email });
      const key = world.mailedKey(hamlet.email, 'password_reset');
      return (await world.visit('POST', `${RESET}${hamlet.user_id}/${key}/`, {
        password,
      })) as Shown;
    };
    t.strictSame([(await reset('cedar-window-31-map')).cookies, mails().length], [undefined, 0]);
    world.browser = { isFromOwnPage: true };
    const { leadsTo, cookies } = await reset('willow-anchor-47-sun');
    t.equal(leadsTo, '/');
    const sent = cookies!.map((line) => line.split(';')[0]!).join('; ');
    t.equal(sessions.find(sent)!.user.user_id, hamlet.user_id);
    t.equal(mails().length, 1, 'it is told as a login from a browser not seen before');
    world.browser = { isFromOwnPage: true, cookies: sent };
    t.ok((await reset('meadow-kettle-52-fog')).cookies);
    t.equal(mails().length, 1, 'and from one that was, not');
    t.equal(sessions.find(sent), null);

    const factor = { nonce: 'n', last_step: 0, recovery_codes: [], two_factor: true };
    world.transact((tx) => tx.org.twoFactors.insert({ user_id: hamlet.user_id, ...factor }));
    const asked = await reset('harbour-pencil-63-oak');
    t.strictSame([asked.cookies, asked.leadsTo], [undefined, undefined]);
    t.match(asked.page.text, 'Your password is set');
  },
);
