import t from 'tap';
import { exchange, type Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { has } from '../harness/required-fields.js';

void t.test('what the Python package does', async (t) => {
  const { server, owner, hamlet } = await askOrganization(t);

  await t.test('its constructor gets the settings, whatever credentials it sends', async (t) => {
    const { status, body } = await exchange(server.url, 'GET', '/api/v1/server_settings', {
      headers: {
        Authorization: 'Basic whatever it has',
        'User-Agent': 'ZulipPython/0.9.1 (Debian)',
      },
    });
    t.equal(status, 200, 'credentials are not looked at');
    has(t, body, 'zulip_version zulip_feature_level', 'server_settings');
  });

  await t.test('a POST without parameters has no content type', async (t) => {
    const reply = await exchange(server.url, 'POST', '/api/v1/register', {
      headers: { Authorization: owner.authorization, 'Content-Length': '0' },
    });
    t.equal(reply.status, 200);
    t.type(reply.body.queue_id, 'string');
  });

  await t.test('spaces in its JSON; a retry adds dont_block', async (t) => {
    const { body } = await owner.call('POST', '/register', {
      event_types: '["message", "realm_user"]',
      narrow: '[["stream", "general"]]',
      all_public_streams: 'true',
      dont_block: 'true',
    });
    t.same(body.ignored_parameters_unsupported, ['dont_block']);
    const queueId = String(body.queue_id);
    const id = await hamlet.say('for the bot');
    const events = await owner.poll(queueId, Number(body.last_event_id));
    t.match(events, [{ type: 'message', message: { id, display_recipient: 'general' } }]);
    const retried = await owner.call('POST', '/messages', {
      type: 'stream',
      to: '["general"]',
      subject: 'old name',
      content: 'retried',
      dont_block: 'true',
    });
    t.match(retried, { status: 200, body: { result: 'success' } });
    t.same(await owner.poll(queueId, events[0]!.id), [
      ...(await owner.poll(queueId, -1, { dontBlock: true })),
    ]);
    t.match(await owner.call('DELETE', '/events', { queue_id: queueId }), { status: 200 });
  });

  await t.test('a direct message to addresses', async (t) => {
    const { status } = await owner.call('POST', '/messages', {
      type: 'private',
      to: JSON.stringify([hamlet.email]),
      content: 'by address',
    });
    t.equal(status, 200);
  });

  await t.test('a poll, and the form of a bot, with spaces in their JSON', async (t) => {
    const poll = { type: 'stream', to: 'general', topic: 'food', content: '/poll Lunch?\nSoup' };
    const { body: sent } = await hamlet.call('POST', '/messages', poll);
    const content = '{"type": "vote", "key": "canned,0", "vote": 1}';
    const voted = { message_id: String(sent.id), msg_type: 'widget', content };
    t.match(await owner.call('POST', '/submessage', voted), { status: 200 });
    const { message } = await owner.ok('GET', `/messages/${String(sent.id)}`);
    t.match((message as Body).submessages, [{}, { content, sender_id: owner.userId }]);
    // As its trivia bot sends it.
    const widget_content =
      '{"widget_type": "zform", "extra_data": {"type": "choices", "heading": "2 + 2?", ' +
      '"choices": [{"type": "multiple_choice", "short_name": "A", "long_name": "4", ' +
      '"reply": "answer Q001 A"}]}}';
    const form = { ...poll, content: '2 + 2?', widget_content };
    const { body } = await hamlet.call('POST', '/messages', form);
    const reply = await owner.ok('GET', `/messages/${String(body.id)}`);
    const [widget] = (reply.message as Body).submessages as Body[];
    t.same(JSON.parse(String(widget!.content)), JSON.parse(widget_content));
  });

  await t.test('the profile and the messages a bot reads', async (t) => {
    has(t, await owner.ok('GET', '/users/me'), 'user_id full_name email', 'users/me');
    const reader = await QueueReader.open(owner, { event_types: ['message'] });
    await hamlet.tell([owner.userId], '/me waves');
    const [event] = await reader.next();
    const message = event!.message as Body;
    has(t, message, 'type display_recipient sender_email content is_me_message', 'message');
    t.equal(message.is_me_message, true);
    t.match(message.display_recipient, [{ email: owner.email, id: Number }, { id: Number }]);
    t.same(event!.flags, []);
  });
});
