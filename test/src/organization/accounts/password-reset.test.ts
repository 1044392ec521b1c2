import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { peopleHandlers } from '../../../../src/resources/administration/people.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { dataOf, InviteWorld } from '../../../fixtures/invite-world.js';

const EXPIRED = {
  status: 404,
  message: 'Whoops. The confirmation link has expired or been deactivated.',
};
const RESET = '/accounts/password/reset/';

// [c:shown-reset-link]
void t.test('a reset link that an owner was shown ends with their rights', async (t) => {
  const world = new InviteWorld({ mails: false });
  const { hamlet, owner } = world;
  const queues = { renewPushOf: () => undefined, closeSocketsOf: () => undefined };
  const people = peopleHandlers({ linkKeys: world.keys, queues });
  const take = async (maker: UserDocument) => {
    const handler = handlerOf(people, 'reset-person-password');
    const taken = await world.call(handler, maker, { user_id: hamlet.user_id });
    return new URL(String(taken['reset_link'])).pathname;
  };
  const open = (path: string) => world.visit('GET', path);
  const maker = world.addWithRole('second@example.com', ROLE.owner);
  const first = await take(maker);
  dataOf(await open(first));
  for (const [without, again] of [
    [{ role: ROLE.administrator }, { role: ROLE.owner }],
    [{ is_active: false }, { is_active: true }],
    [{ is_bot: true }, { is_bot: false }],
  ] as const) {
    world.alter(maker.user_id, without);
    await t.rejects(open(first), EXPIRED, JSON.stringify(without));
    await t.rejects(world.visit('POST', first, { password: 'cedar-window-31-map' }), EXPIRED);
    world.alter(maker.user_id, again);
  }
  t.equal(world.user(hamlet.user_id).password_hash, null);
  for (let i = 0; i < 7; i++) await world.visit('POST', RESET, { email: 'hamlet@example.com' });
  dataOf(await open(first));
  const second = await take(owner);
  await t.rejects(open(first), EXPIRED, 'a newer link takes its place');
  const mailed = `${RESET}${hamlet.user_id}/${world.mailedKey('hamlet@example.com', 'password_reset')}/`;
  await t.rejects(open(mailed), EXPIRED, 'and that of those that were mailed');
  world.alter(hamlet.user_id, { password_hash: 'their own' });
  await t.rejects(open(second), EXPIRED, 'their own change ends it');
});
