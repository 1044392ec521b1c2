import t from 'tap';
import { botFor, Program } from '../harness/bot-program.js';
import { ApiClient, type Body } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

const ALLOWED = { args: ['--hook-target', '127.0.0.1'] };

// [c:outgoing-webhook]
void t.test('a bot that is a program elsewhere', async (t) => {
  const { owner, hamlet } = await startOrganization(t, ALLOWED);
  const program = await Program.start(t);
  const bots = await QueueReader.open(hamlet, { event_types: ['realm_bot'] });
  const id = await botFor(hamlet, program.url);
  const [added] = await bots.next();
  const service = { base_url: program.url, interface: 1, token: String };
  t.match(added, { op: 'add', bot: { user_id: id, services: [service] } });
  const reader = await QueueReader.open(owner, { event_types: ['message'] });
  await owner.tell([id], 'hello');
  const events = [...(await reader.next())];
  while (events.length < 2) events.push(...(await reader.next()));
  t.match(events[1], {
    message: { sender_id: id, content: 'echo: hello', type: 'private' },
  });
  t.match(program.asked, [{ trigger: 'direct_message', data: 'hello' }]);
  const changed = { service_payload_url: `${program.url}other`, service_interface: 2 };
  t.match(await hamlet.ok('PATCH', `/bots/${id}`, changed), changed);
  t.match(await bots.next(), [
    {
      op: 'update',
      bot: { user_id: id, services: [{ base_url: `${program.url}other`, interface: 2 }] },
    },
  ]);
});

void t.test('the address of the program as JSON text, as the web app sends it', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const id = await botFor(owner, JSON.stringify('https://example.com/hook'));
  const services = async () => {
    const { realm_bots } = await owner.register({ fetch_event_types: ['realm_bot'] });
    return (realm_bots as Body[]).find(({ user_id }) => user_id === id)!.services;
  };
  t.match(await services(), [{ base_url: 'https://example.com/hook' }]);
  const changed = { service_payload_url: JSON.stringify('https://example.com/other') };
  t.match(await owner.ok('PATCH', `/bots/${id}`, changed), {
    service_payload_url: 'https://example.com/other',
  });
  const refused = await hamlet.call('POST', '/bots', {
    full_name: 'Bad',
    short_name: 'bad',
    bot_type: 3,
    payload_url: '"ftp://example.com"',
  });
  t.match(refused, { status: 400, body: { msg: 'Enter a valid URL.' } });
});

void t.test('private addresses are not called unless the operator allows them', async (t) => {
  const { hamlet } = await startOrganization(t);
  const program = await Program.start(t);
  const id = await botFor(hamlet, program.url);
  const reader = await QueueReader.open(hamlet, { event_types: ['message'] });
  await hamlet.tell([id], 'hello');
  const events = [...(await reader.next())];
  while (events.length < 2) events.push(...(await reader.next()));
  t.match(events[1], { message: { content: /The address is not public/ } });
  t.same(program.asked, []);
});

void t.test(
  'kill -9 while the program has not answered: it is asked again, and answers once',
  async (t) => {
    const { server, hamlet } = await startOrganization(t, ALLOWED);
    const program = await Program.start(t);
    program.answers = false;
    const id = await botFor(hamlet, program.url);
    const asked = new Promise<void>((resolve) => (program.heard = resolve));
    const sent = await hamlet.tell([id], 'hello');
    await asked;
    await server.kill();
    program.answers = true;
    const again = await server.restart(t);
    const client = hamlet.at(again.url);
    const reader = await QueueReader.open(client, { event_types: ['message'] });
    const page = { anchor: sent, num_before: 0, num_after: 10, apply_markdown: false };
    const answers = async () => {
      const { messages } = await client.ok('GET', '/messages', page);
      return (messages as Body[]).filter(({ sender_id }) => sender_id === id);
    };
    if ((await answers()).length === 0) await reader.next();
    t.match(await answers(), [{ content: 'echo: hello' }]);
    t.match(program.asked, [{ message: { id: sent } }, { message: { id: sent } }]);
  },
);

void t.test('a bot that names no channel speaks in its default one', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const bots = { full_name: 'Kettle', short_name: 'kettle', default_sending_stream: 'general' };
  const { user_id, api_key } = await hamlet.ok('POST', '/bots', bots);
  const { user } = await hamlet.ok('GET', `/users/${String(user_id)}`);
  const { email } = user as { email: string };
  const bot = new ApiClient(server.url, email, String(api_key), Number(user_id));
  const said = { type: 'stream', topic: 'tea', content: 'ready' };
  const { id } = await bot.ok('POST', '/messages', said);
  const { message } = await owner.ok('GET', `/messages/${String(id)}`);
  t.match(message, { display_recipient: 'general', subject: 'tea', sender_id: user_id });
  await hamlet.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'kitchen' }] });
  const named = await bot.ok('POST', '/messages', { ...said, to: 'kitchen' });
  const found = await hamlet.ok('GET', `/messages/${String(named.id)}`);
  t.match(found.message, { display_recipient: 'kitchen' });
  const missing = {
    code: 'REQUEST_VARIABLE_MISSING',
    msg: "Missing 'to' argument",
    var_name: 'to',
  };
  const refused = async (by: ApiClient, type = 'channel') =>
    (await by.call('POST', '/messages', { ...said, type })).body;
  t.match(await refused(bot, 'direct'), missing, 'a conversation has none');
  t.match(await refused(owner), missing, 'nor has a person');
  await hamlet.ok('PATCH', `/bots/${String(user_id)}`, { default_sending_stream: '' });
  t.match(await refused(bot), missing, 'nor has every bot');
});
