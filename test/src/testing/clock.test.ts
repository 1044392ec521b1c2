/** What goes by the clock of a test: the times are those of the contract, and no test waits for them. */
import t from 'tap';
import { startParley, type Parley } from '../../../src/testing/testing.js';
import { millisecondsOf } from '../../../src/testing/clock.js';

const START = 'the server for tests';

/** A queue of an account that nobody holds. */
async function queueOf(parley: Parley, name: string) {
  const { queue_id, last_event_id } = await parley.as(name).register({ event_types: ['message'] });
  return { queue_id: String(queue_id), last_event_id, dont_block: true };
}

void t.test(START, async (t) => {
  const parley = await startParley({ users: ['ada', 'linus'] });
  t.teardown(() => parley.stop());
  const ada = parley.as('ada');

  await t.test('a queue that nobody polls is there for ten minutes', async (t) => {
    const queue = await queueOf(parley, 'ada');
    await parley.clock.advance('9 minutes');
    t.match(await ada.call('GET /events', queue), { events: [] });
    await parley.clock.advance('11 minutes');
    await t.rejects(ada.call('GET /events', queue), { code: 'BAD_EVENT_QUEUE_ID' });
  });

  await t.test('a poll gets a heartbeat within a minute, and its client comes back', async (t) => {
    const { queue_id, last_event_id } = await queueOf(parley, 'ada');
    let last = last_event_id;
    const types: string[] = [];
    let isOver = false;
    const polling = (async () => {
      while (!isOver) {
        const { events } = await ada.call('GET /events', { queue_id, last_event_id: last });
        for (const { type, id } of events) {
          types.push(type);
          last = id;
        }
      }
    })();
    await parley.connected('ada');
    await parley.clock.advance('1 hour');
    isOver = true;
    const ended = types.length;
    t.ok(ended >= 65 && ended <= 80, `${ended} heartbeats of 45 to 55 s: its queue did not expire`);
    t.same(new Set(types), new Set(['heartbeat']));
    await parley.as('linus').call('POST /messages', {
      type: 'direct',
      to: [parley.users['ada']!.id],
      content: 'the end',
    });
    await polling;
    t.equal(types.at(-1), 'message');
  });

  await t.test('a scheduled message is sent at its time', async (t) => {
    const inbox = await parley.events('linus', { event_types: ['message'] });
    const due = Math.floor(parley.clock.now().getTime() / 1000) + 600;
    await ada.call('POST /scheduled_messages', {
      type: 'direct',
      to: [parley.users['linus']!.id],
      content: 'later',
      scheduled_delivery_timestamp: due,
    });
    await parley.clock.advance('9 minutes');
    t.same(inbox.seen, []);
    await parley.clock.advance('2 minutes');
    const { message } = await inbox.next('message');
    t.match(message, { content: 'later' });
    t.ok(message.timestamp >= due && message.timestamp <= due + 2, 'at its time, not at the end');
    inbox.close();
  });

  await t.test('messages are removed when the retention says so', async (t) => {
    await parley.as('owner').call('PATCH /realm', { message_retention_days: 7 });
    const { id: message_id } = await ada.call('POST /messages', {
      type: 'direct',
      to: [parley.users['linus']!.id],
      content: 'for a week',
    });
    await parley.clock.advance('6 days');
    t.match(await ada.call('GET /messages/{message_id}', { message_id }), { result: 'success' });
    await parley.clock.advance('2 days');
    await t.rejects(ada.call('GET /messages/{message_id}', { message_id }), {
      code: 'BAD_REQUEST',
    });
  });

  await t.test('who was active is not any more', async (t) => {
    await ada.call('POST /users/me/presence', { status: 'active', new_user_input: true });
    const inbox = await parley.events('linus', { event_types: ['presence'] });
    await parley.clock.advance('30 minutes');
    const user_id = parley.users['ada']!.id;
    const { presences } = await parley
      .as('linus')
      .call('POST /users/me/presence', { status: 'active', last_update_id: -1 });
    const { active_timestamp } = presences![String(user_id)] as { active_timestamp: number };
    const since = parley.clock.now().getTime() / 1000 - active_timestamp;
    t.ok(since >= 1800 && since < 1900, `${since} seconds ago`);
    inbox.close();
  });
});

void t.test('spans of time', (t) => {
  t.equal(millisecondsOf(250), 250);
  t.equal(millisecondsOf('1 ms'), 1);
  t.equal(millisecondsOf('1.5 minutes'), 90_000);
  t.equal(millisecondsOf('2 weeks'), 1_209_600_000);
  for (const wrong of ['', 'soon', '10', '3 years', '-1 days', '367 days']) {
    t.throws(() => millisecondsOf(wrong), { message: /^No time of up to 366 days: / }, wrong);
  }
  t.end();
});
