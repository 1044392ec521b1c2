import t from 'tap';
import { PARTIAL_SUBSCRIBERS_THRESHOLD } from '../../../schemas/limits.js';
import { ApiClient } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';

/** Password of the accounts that the owner makes. */
const PASSWORD = 'willow-aslant-a-brook';

// [c:login-is-activity]
void t.test('partial_subscribers has who logged in a moment ago', async (t) => {
  const { owner } = await startOrganization(t);
  const people: number[] = [];
  const emails = ['login', 'request', 'absent'].map((name) => `${name}@example.com`);
  for (const email of emails) {
    const made = await owner.ok('POST', '/users', {
      email,
      full_name: email.split('@')[0],
      password: PASSWORD,
    });
    people.push(Number(made.user_id));
  }
  const bots: number[] = [];
  for (let i = 0; i < PARTIAL_SUBSCRIBERS_THRESHOLD; i++) {
    const bot = await owner.ok('POST', '/bots', { full_name: `Bot ${i}`, short_name: `b${i}` });
    bots.push(Number(bot.user_id));
  }
  await owner.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'crowd' }],
    principals: [...people, ...bots],
  });
  const listed = async (client: ApiClient) => {
    const { subscriptions, unsubscribed, never_subscribed } = await client.register({
      fetch_event_types: ['subscription'],
      include_subscribers: 'partial',
    });
    const all = [subscriptions, unsubscribed, never_subscribed].flat() as {
      name: string;
      partial_subscribers: number[];
    }[];
    const crowd = all.find(({ name }) => name === 'crowd')!;
    return crowd.partial_subscribers.filter((id) => people.includes(id));
  };
  t.strictSame(await listed(owner), [], 'nobody was here yet');
  const [login, request] = people as [number, number];
  await ApiClient.login(owner.url, emails[0]!, PASSWORD);
  t.strictSame(await listed(owner), [login], 'a login counts');
  const client = await ApiClient.login(owner.url, emails[1]!, PASSWORD);
  t.strictSame(await listed(client), [login, request], 'also in the reply to the first request');
  t.strictSame(await listed(owner), [login, request]);
});
