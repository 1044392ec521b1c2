import t from 'tap';
import type { ApiClient, Reply, WireEvent } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { NEVER_GIVEN } from '../harness/server.js';

/** Ids of the messages among events. */
function messages(events: readonly WireEvent[]): number[] {
  return events
    .filter((event) => event.type === 'message')
    .map((event) => (event.message as { id: number }).id);
}

const MESSAGES = { event_types: ['message'] };

/** The queue's answer to a cursor, whatever it is. */
function ask(client: ApiClient, queue_id: string, last_event_id?: number) {
  return client.call('GET', '/events', { queue_id, last_event_id, dont_block: true });
}

// [c:events-after-cursor]
void t.test('a poll answers with the events after the cursor', async (t) => {
  const { owner, hamlet } = await startOrganization(t);

  // [c:poll-envelope]
  await t.test(
    'every answer carries events and queue_id, status 200, and is not stored',
    async (t) => {
      const { queue_id, last_event_id } = await owner.register(MESSAGES);
      const reply = await ask(owner, queue_id, last_event_id);
      t.equal(reply.status, 200);
      t.strictSame(reply.body, { result: 'success', msg: '', events: [], queue_id });
      t.match(reply.headers['cache-control'], /no-store/);
      t.match(reply.headers['content-type'], /^application\/json/);
      t.match(queue_id, /^\S{16,}$/, 'unguessable');
    },
  );

  // [c:redelivery]
  await t.test('what is not acknowledged is delivered again, what is never', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const sent = [await owner.say('1'), await owner.say('2'), await owner.say('3')];
    const first = await owner.poll(queue_id, last_event_id, { dontBlock: true });
    t.same(messages(first), sent);
    t.same(await owner.poll(queue_id, last_event_id, { dontBlock: true }), first, 'the same again');
    t.same(await owner.poll(queue_id, -1, { dontBlock: true }), first, 'with -1');
    const absent = await ask(owner, queue_id);
    t.same(absent.body.events, first, 'without last_event_id');
    const [one, two, three] = first.map((event) => event.id) as [number, number, number];
    t.ok(last_event_id < one && one < two && two < three && three < 2 ** 53, 'ids increase');
    t.same(await owner.poll(queue_id, two, { dontBlock: true }), first.slice(2));
    t.same((await ask(owner, queue_id)).body.events, first.slice(2), 'for good');
    t.same((await ask(owner, queue_id, -1)).body.events, first.slice(2));
  });

  await t.test('a cursor older than what was acknowledged', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    await owner.say('1');
    await owner.say('2');
    const [one, two] = await owner.poll(queue_id, -1, { dontBlock: true });
    t.same(await owner.poll(queue_id, two!.id, { dontBlock: true }), []);
    t.match(await ask(owner, queue_id, one!.id), {
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID', queue_id },
    });
  });

  await t.test('a cursor that was never issued acknowledges nothing', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    const sent = await owner.say('1');
    const [event] = await owner.poll(queue_id, -1, { dontBlock: true });
    t.match(await ask(owner, queue_id, event!.id + 1_000_000), {
      status: 400,
      body: { code: NEVER_GIVEN, msg: /^Event \d+ was not in this queue$|^Bad event queue ID/ },
    });
    t.same(messages(await owner.poll(queue_id, -1, { dontBlock: true })), [sent]);
  });

  // [c:held-poll]
  await t.test('a held poll gets the first event at once', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const held = await owner.hold(queue_id, last_event_id);
    const id = await owner.say('now');
    t.same(messages(await held.events), [id]);
  });

  // [c:poll-unknown-parameters]
  await t.test('unknown parameters are ignored and named, dont_block elsewhere too', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    const reply = await owner.call('GET', '/events', {
      queue_id,
      dont_block: true,
      zebra: 1,
      apple: 2,
      event_types: ['realm'],
    });
    t.strictSame(reply.body.ignored_parameters_unsupported, ['apple', 'zebra']);
    const profile = await owner.ok('GET', '/users/me', { dont_block: true });
    t.strictSame(profile.ignored_parameters_unsupported, ['dont_block']);
    const refused = await owner.call('GET', '/events', { queue_id: 'no', zebra: 1 });
    t.notOk('ignored_parameters_unsupported' in refused.body, 'never on errors');
  });

  // [c:queue-of-others]
  await t.test("another user's queue is as unknown as any", async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    for (const [method, parameters] of [
      ['GET', { queue_id, dont_block: true }],
      ['DELETE', { queue_id }],
    ] as const) {
      const foreign = await hamlet.call(method, '/events', parameters);
      const unknown = await hamlet.call(method, '/events', { ...parameters, queue_id: 'x' });
      t.equal(foreign.status, 400);
      t.strictSame(foreign.body, {
        result: 'error',
        msg: `Bad event queue ID: ${queue_id}`,
        code: 'BAD_EVENT_QUEUE_ID',
        queue_id,
      });
      t.match(unknown.body, { msg: 'Bad event queue ID: x', queue_id: 'x' });
    }
    t.equal((await ask(owner, queue_id)).status, 200, 'untouched');
  });

  // [c:poll-registers]
  await t.test('without queue_id a queue is registered from the register parameters', async (t) => {
    const { body } = await owner.call('GET', '/events', { ...MESSAGES, dont_block: true });
    t.strictSame(body.events, []);
    t.notOk('realm_users' in body, 'no snapshot');
    await owner.ok('POST', '/typing', { op: 'start', to: [hamlet.userId] });
    const id = await owner.say('for the new queue');
    const events = await owner.poll(String(body.queue_id), -1, { dontBlock: true });
    t.same(
      events.map((event) => event.type),
      ['message'],
    );
    t.same(messages(events), [id]);

    const narrowed = { narrow: [['topic', 'held']], ...MESSAGES };
    let waiting: Promise<Reply> | undefined;
    await new Promise<void>((sent) => {
      waiting = owner.call('GET', '/events', narrowed, { sent });
    });
    // Registrations are made one after the other: this one comes later.
    await owner.register({ fetch_event_types: [] });
    await owner.register({ fetch_event_types: [] });
    await owner.say('not this', 'general', 'other');
    const wanted = await owner.say('this', 'general', 'held');
    const held = (await waiting)!;
    t.same(messages(held.body.events as WireEvent[]), [wanted]);
    t.type(held.body.queue_id, 'string');
  });

  await t.test('bad cursors are refused before anything happens', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    for (const value of ['x', '1.5', '[1]', '"1"', '-2', '99999999999999999999', '']) {
      const { status, body } = await owner.call('GET', '/events', {
        queue_id,
        last_event_id: value,
        dont_block: true,
      });
      t.equal(status, 400, value);
      t.match(body, { result: 'error', code: /^(BAD_REQUEST|REQUEST_VARIABLE_INVALID)$/ }, value);
    }
    t.equal((await ask(owner, queue_id)).status, 200);
  });
});

void t.test('of two polls of one queue the newer one waits', async (t) => {
  const { owner } = await startOrganization(t);

  await t.test('the newer one takes over, the older is answered at once', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    let older = await owner.hold(queue_id, last_event_id);
    for (let i = 0; i < 5; i++) {
      const newer = await owner.hold(queue_id, last_event_id);
      t.strictSame(await older.events, [], 'an empty success');
      older = newer;
    }
    const id = await owner.say('for the newest');
    t.same(messages(await older.events), [id]);
  });

  await t.test('both see the same events until one acknowledges', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const id = await owner.say('for both');
    const [one, two] = await Promise.all([
      owner.poll(queue_id, last_event_id),
      owner.poll(queue_id, last_event_id),
    ]);
    t.same(messages(one), [id]);
    t.same(one, two);
    await owner.poll(queue_id, one[0]!.id, { dontBlock: true });
    t.same((await ask(owner, queue_id)).body.events, [], 'gone for both');
  });

  await t.test('a poll whose connection drops loses nothing', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const abort = new AbortController();
    const dropped = await owner.hold(queue_id, last_event_id, abort.signal);
    abort.abort();
    await t.rejects(dropped.events);
    const id = await owner.say('after the drop');
    t.same(messages(await owner.poll(queue_id, last_event_id)), [id]);
  });
});

void t.test('a queue that is deleted is gone for its owner alone', async (t) => {
  const { owner } = await startOrganization(t);

  await t.test('DELETE takes the id from the query or the body', async (t) => {
    for (const where of ['query', 'body']) {
      const { queue_id } = await owner.register(MESSAGES);
      const reply =
        where === 'query'
          ? await owner.call('DELETE', `/events?queue_id=${queue_id}`)
          : await owner.call('DELETE', '/events', { queue_id });
      t.strictSame(reply.body, { result: 'success', msg: '' });
      t.match(await ask(owner, queue_id), { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
      t.match(await owner.call('DELETE', '/events', { queue_id }), {
        status: 400,
        body: { code: 'BAD_EVENT_QUEUE_ID', queue_id },
      });
    }
    t.match(await owner.call('DELETE', '/events'), {
      status: 400,
      body: { code: 'REQUEST_VARIABLE_MISSING', msg: "Missing 'queue_id' argument" },
    });
  });

  await t.test('a held poll is answered when its queue is deleted', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const held = await owner.hold(queue_id, last_event_id);
    await owner.ok('DELETE', '/events', { queue_id });
    t.strictSame(await held.events, []);
  });
});
