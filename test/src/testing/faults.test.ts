/** Faults on demand: each happens to what was named, and then no more. */
import t from 'tap';
import { startParley } from '../../../src/testing/testing.js';

/** Of a call: `success`, or the status and the code of its refusal, or the name of what happened to it. */
async function outcome(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'success',
    (error: { status?: number; code?: string; name: string }) =>
      error.status === undefined ? error.name : `${error.status} ${error.code}`,
  );
}

void t.test('faults', async (t) => {
  const parley = await startParley({ users: ['ada', 'linus'], bots: ['helper'] });
  t.teardown(() => parley.stop());
  const ada = parley.as('ada');
  const linus = parley.as('linus');
  const { faults } = parley;
  const say = (client = ada, content = 'x') =>
    client.call('POST /messages', { type: 'channel', to: 'general', topic: 'x', content });
  /** Contents of the newest messages. */
  const newest = async (count: number): Promise<string[]> => {
    const page = { anchor: 'newest', num_before: count, num_after: 0, apply_markdown: false };
    const { messages } = await linus.call('GET /messages', page);
    return messages.map(({ content }) => content);
  };

  await t.test('429 for the next requests of one account', async (t) => {
    const fault = faults.rateLimit({ from: 'ada', path: '/messages', times: 2, retryAfter: 7 });
    t.equal(await outcome(say(linus)), 'success');
    t.equal(await outcome(ada.call('GET /users/me', {})), 'success');
    const refusal = await say(ada, 'refused').catch((error: unknown) => error);
    t.match(refusal, { status: 429, code: 'RATE_LIMIT_HIT', retryAfter: 7 });
    t.equal(await outcome(say(ada, 'refused')), '429 RATE_LIMIT_HIT');
    t.equal(await outcome(say(ada, 'sent')), 'success');
    t.equal(fault.met, 2);
    t.same(await newest(1), ['sent']);
  });

  await t.test('503, until it is ended', async (t) => {
    const fault = faults.unavailable({ method: 'POST', times: Infinity });
    t.equal(await outcome(say()), '503 SERVICE_UNAVAILABLE');
    t.equal(await outcome(say()), '503 SERVICE_UNAVAILABLE');
    t.equal(await outcome(ada.call('GET /users/me', {})), 'success');
    fault.end();
    t.equal(await outcome(say()), 'success');
  });

  await t.test(
    'a slow reply comes by the clock of the test; the message is there before',
    async (t) => {
      faults.slow({ path: '/messages', method: 'POST', by: '1 minute' });
      let isThere = false;
      const inbox = await parley.events('linus', { event_types: ['message'] });
      const sending = say(ada, 'slow').then(() => (isThere = true));
      t.match(await inbox.next('message'), { message: { content: 'slow' } });
      await parley.clock.advance('59 seconds');
      t.notOk(isThere);
      await parley.clock.advance('2 seconds');
      t.ok(await sending);
      inbox.close();
    },
  );

  await t.test('a lost reply: what was asked is done', async (t) => {
    faults.loseReply({ path: '/messages', method: 'POST' });
    t.equal(await outcome(say(ada, 'once')), 'TypeError');
    t.same(await newest(1), ['once']);
    faults.loseReply({ path: /^\/users/ });
    t.equal(await outcome(ada.call('GET /users/me', {})), 'TypeError');
    t.equal(await outcome(ada.call('GET /users/me', {})), 'success');
  });

  await t.test('connections close, and a feed goes on where it was', async (t) => {
    const inbox = await parley.events('linus', { event_types: ['message'] });
    await parley.connected('linus');
    const { queue_id, last_event_id } = await ada.register({ event_types: ['message'] });
    const poll = ada.call('GET /events', { queue_id: String(queue_id), last_event_id });
    const failed = t.rejects(poll, TypeError);
    await parley.connected('ada');
    faults.dropConnections();
    await failed;
    await say(ada, 'after the drop');
    t.match(await inbox.next('message'), { message: { content: 'after the drop' } });
    t.equal(inbox.lost, 0);
    inbox.close();
  });

  await t.test('the queues of an account expire', async (t) => {
    const inbox = await parley.events('linus', { event_types: ['message'] });
    await parley.connected('linus');
    t.ok((await faults.expireQueues('linus')) >= 1);
    await parley.connected('linus');
    await say(ada, 'after the loss');
    t.match(await inbox.next('message'), { message: { content: 'after the loss' } });
    t.equal(inbox.lost, 1);
    inbox.close();
  });

  await t.test('the store is away: nothing is served', async (t) => {
    await say(ada, 'before');
    faults.storeAway();
    t.equal(await outcome(say(ada, 'away')), '503 SERVICE_UNAVAILABLE');
    t.equal(await outcome(say(ada, 'refused')), '503 SERVICE_UNAVAILABLE');
    t.equal(await outcome(ada.call('GET /users/me', {})), '503 SERVICE_UNAVAILABLE');
    await faults.storeBack();
    t.equal(await outcome(say(ada, 'back')), 'success');
    t.same(await newest(3), ['before', 'away', 'back'], 'the first one met the outage on its way');
  });

  await t.test('a restart loses nothing: queues go on', async (t) => {
    const inbox = await parley.events('linus', { event_types: ['message'] });
    await say(ada, 'one');
    const { url } = parley;
    await parley.restart();
    t.equal(parley.url, url);
    await say(ada, 'two');
    await parley.restart({ crash: true });
    await say(ada, 'three');
    const texts: string[] = [];
    while (texts.length < 3) texts.push((await inbox.next('message')).message.content);
    t.same(texts, ['one', 'two', 'three']);
    t.equal(inbox.lost, 0);
    inbox.close();
  });

  await t.test(
    'a restart from a backup: what came later is lost, and its queues, too',
    async (t) => {
      await say(ada, 'kept');
      const backup = parley.backup();
      const inbox = await parley.events('linus', { event_types: ['message'] });
      await say(ada, 'lost');
      await inbox.next('message');
      await parley.restart({ from: backup });
      t.same(await newest(1), ['kept']);
      await parley.connected('linus');
      t.equal(inbox.lost, 1);
      const { id } = await say(ada, 'new');
      t.match(await inbox.next('message'), { message: { id, content: 'new' } });
      inbox.close();
    },
  );
  t.same(
    parley.log.filter(
      (line) => !/^a request failed \{.*"status":(429|503)|store|history/.test(line),
    ),
    [],
    'nothing else went wrong',
  );
});
