import t from 'tap';
import { BenchOrganization } from '../../../../bench/harness/organization.js';
import { ApiClient } from '../../../system/harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../../system/harness/server.js';

/** A run of the bench at a server that is somebody's. */

void t.test('what it made is gone afterwards, and nothing else', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const kept = await owner.say('mine');
  const { queue_id } = await owner.register();
  const remote = { url: new URL(server.url), email: owner.email, key: owner.key, pid: null };
  const plan = { users: 5, store: null, remote };
  const visit = async (): Promise<{ queueId: string; channelId: number }> => {
    const organization = await BenchOrganization.open(plan);
    const [seat] = await organization.seats(3, ['message']);
    const send = { type: 'channel', to: organization.channelId, topic: 'load', content: 'x' };
    for (let i = 0; i < 4; i++) await owner.ok('POST', '/messages', send);
    await organization.close();
    return { queueId: seat!.queueId, channelId: organization.channelId };
  };
  const { queueId, channelId } = await visit();
  await t.rejects(owner.poll(queueId, -1), /BAD_EVENT_QUEUE_ID/);
  const everything = { anchor: 'newest', num_before: 100, num_after: 0 };
  const messages = async () => {
    const page = await owner.ok('GET', '/messages', everything);
    return (page.messages as { id: number; content: string }[]).filter(
      ({ content }) => content === '<p>x</p>' || content === '<p>mine</p>',
    );
  };
  t.same(
    (await messages()).map(({ id }) => id),
    [kept],
  );
  await owner.poll(queue_id, -1, { dontBlock: true });
  const { subscriptions } = await owner.ok('GET', '/users/me/subscriptions');
  t.notOk((subscriptions as { stream_id: number }[]).some((one) => one.stream_id === channelId));
  await visit();
  t.same((await messages()).length, 1, 'and again');
});

void t.test('a channel of the same name that was there stays, with its messages', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'bench' }] });
  const former = { type: 'channel', to: 'bench', topic: 'load', content: 'of before' };
  const { id } = await owner.ok('POST', '/messages', former);
  const remote = { url: new URL(server.url), email: owner.email, key: owner.key, pid: null };
  const organization = await BenchOrganization.open({ users: 5, store: null, remote });
  await owner.ok('POST', '/messages', { ...former, content: 'of the bench' });
  await organization.close();
  const narrow = [
    { operator: 'channel', operand: 'bench' },
    { operator: 'topic', operand: 'load' },
  ];
  const page = await owner.ok('GET', '/messages', {
    ...{ anchor: 'newest', num_before: 100, num_after: 0, narrow },
  });
  t.same(
    (page.messages as { id: number }[]).map((one) => one.id),
    [id],
  );
});
