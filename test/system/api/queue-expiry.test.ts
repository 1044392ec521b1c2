import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { underLoad } from '../../fixtures/machine-load.js';

const MESSAGES = { event_types: ['message'] };

// What only real time can show: no test double of the clock exists outside the process.
void t.test('a queue expires by the real clock', { jobs: 8 }, async (t) => {
  const { owner, server } = await startOrganization(t);

  void t.test('the effective idle timeout is told', async (t) => {
    const cases: [unknown, number][] = [
      [undefined, 600],
      [1, 1],
      [43_200, 43_200],
      ['mobile', 43_200],
      ['"mobile"', 43_200],
      [604_801, 604_800],
      [9_999_999, 604_800],
    ];
    for (const [asked, effective] of cases) {
      const { idle_queue_timeout_secs } = await owner.register({
        fetch_event_types: [],
        idle_queue_timeout: asked,
      });
      t.equal(idle_queue_timeout_secs, effective, String(asked));
    }
    for (const [asked, effective] of [
      [0, 600],
      [30, 30],
    ]) {
      const reply = await owner.register({ fetch_event_types: [], queue_lifespan_secs: asked });
      t.equal(reply.idle_queue_timeout_secs, effective, `queue_lifespan_secs ${asked}`);
    }
    for (const bad of [0, -1, 1.5, 'desktop', [1], true]) {
      const { status } = await owner.call('POST', '/register', { idle_queue_timeout: bad });
      t.equal(status, 400, String(bad));
    }
  });

  void t.test('an idle queue expires, never early; a polled one lives', async (t) => {
    const idle = await owner.register({ ...MESSAGES, idle_queue_timeout: 2 });
    const held = await QueueReader.open(owner, { ...MESSAGES, idle_queue_timeout: 1 });
    const asked = await QueueReader.open(owner, { ...MESSAGES, idle_queue_timeout: 4 });
    const poll = held.next();
    const began = Date.now();
    // The clock restarts with every GET, held or not.
    while (Date.now() - began < 5500) {
      t.same(await asked.now(), []);
      await pause(500);
    }
    t.match(await owner.call('GET', '/events', { queue_id: idle.queue_id, dont_block: true }), {
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: idle.queue_id },
    });
    await owner.say('the held poll kept its queue alive');
    t.equal((await poll).length, 1);
  });

  void t.test('a queue that nobody asks for after a restart expires', async (t) => {
    const { owner: other, server: brief } = await startOrganization(t);
    const short = await other.register({ ...MESSAGES, idle_queue_timeout: 1 });
    const long = await other.register(MESSAGES);
    t.equal((await brief.stop()).code, 0);
    // Nobody knows when it was asked for last: its time begins anew, so that it never ends early.
    const later = other.at((await brief.restart(t)).url);
    await pause(2500);
    const ask = (queue_id: string) => later.call('GET', '/events', { queue_id, dont_block: true });
    t.match(await ask(short.queue_id), { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
    t.equal((await ask(long.queue_id)).status, 200);
  });

  // [c:heartbeat-period]
  void t.test('a quiet poll gets one heartbeat after 45 to 55 s, whatever its types', async (t) => {
    const none = await QueueReader.open(owner, { event_types: [] });
    const some = await QueueReader.open(owner, { event_types: ['realm'] });
    const unattended = await owner.register({ event_types: [] });
    const socket = owner.socket({ event_types: '[]' });
    const frames: string[] = [];
    socket.on('message', (data: Buffer) => frames.push(data.toString()));
    const pushed = new Promise<number>((resolve) => {
      socket.on('message', () => frames.length === 2 && resolve(Date.now()));
    });
    const began = Date.now();
    const waits = await Promise.all(
      [none, some].map(async (reader) => {
        const before = reader.cursor;
        const events = await reader.next();
        const seconds = (Date.now() - began) / 1000;
        t.equal(events.length, 1);
        t.strictSame(Object.keys(events[0]!).sort(), ['id', 'type'], 'no other field');
        t.equal(events[0]!.type, 'heartbeat');
        t.ok(events[0]!.id > before);
        return seconds;
      }),
    );
    waits.push(((await pushed) - began) / 1000);
    t.match(JSON.parse(frames[1]!), { type: 'events', events: [{ type: 'heartbeat' }] });
    socket.terminate();
    const most = 55 + underLoad(5000) / 1000;
    for (const seconds of waits) t.ok(seconds >= 44.9 && seconds < most, `${seconds} s`);
    t.same(
      await owner.poll(unattended.queue_id, unattended.last_event_id, { dontBlock: true }),
      [],
      'a queue without a poller collects none',
    );
    t.same(await some.now(), [], 'acknowledged like any event');
    t.ok(server.running);
  });

  // [c:heartbeat-ids]
  void t.test('a real event after a heartbeat has a larger id', async (t) => {
    const reader = await QueueReader.open(owner, { ...MESSAGES, idle_queue_timeout: 600 });
    let events = await reader.next();
    while (!events.some((event) => event.type === 'heartbeat')) events = await reader.next();
    const { cursor } = reader;
    const waiting = reader.next();
    await owner.say('after the heartbeat', 'general', 'late');
    const [event] = await waiting;
    t.equal(event!.type, 'message');
    t.ok(event!.id > cursor);
  });
});
