/** The guides in docs/guides to what posts and reads by itself: what they say to type is typed. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ApiClient, exchange, type Body } from '../harness/client.js';
import { blocks, missing, outcome, shell, workplace } from '../harness/guide.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(240_000);

const PYTHON = { skip: await missing('curl', 'python3', 'bash') };

void t.test('integrations.md: its commands post as a service does', PYTHON, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const guide = shell(workplace(t), blocks('integrations.md', 'sh').join('\n'), {
    URL: server.url,
    EMAIL: OWNER_EMAIL,
    KEY: owner.key,
  });
  const { code, said } = await outcome(guide);
  t.equal(code, 0, said);
  const page = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
  const { messages } = await owner.ok('GET', '/messages', page);
  t.match((messages as Body[])[0], {
    display_recipient: 'builds',
    subject: 'parley',
    content:
      'Build [#20](https://ci.example.org/#/builders/79/builds/20) of **linux**: **success**.',
  });
});

/** What can happen to a message on its way: sent, but the answer is lost; and then repeated too soon. */
const MISHAPS: readonly ('lost' | 'early')[] = ['lost', 'early'];

/** The way to a server, on which messages meet their mishaps. @returns its address and what became of each attempt */
async function unreliable(t: Test, server: string): Promise<{ url: string; attempts: unknown[] }> {
  const attempts: unknown[] = [];
  const proxy = createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy());
  });
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const { method = '', url = '', headers } = request;
    const isMessage = method === 'POST' && url === '/api/v1/messages';
    const mishap = isMessage ? MISHAPS[attempts.length] : undefined;
    if (mishap === 'early') {
      attempts.push(mishap);
      response.writeHead(429, { 'Retry-After': '0.05' }).end('{"code":"RATE_LIMIT_HIT"}');
      return;
    }
    const { authorization = '', 'content-type': type } = headers;
    const sent = { authorization, ...(type === undefined ? {} : { 'content-type': type }) };
    const reply = await fetch(server + url, {
      method,
      headers: sent,
      body: body.length > 0 ? body : null,
    });
    const text = await reply.text();
    if (isMessage) attempts.push(mishap ?? reply.status);
    if (mishap === 'lost') response.destroy();
    else response.writeHead(reply.status, { 'Content-Type': 'application/json' }).end(text);
  };
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, attempts };
}

void t.test('agents.md: its agent reads, answers once, and misses nothing', PYTHON, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const way = await unreliable(t, server.url);
  const folder = workplace(t);
  const [python = ''] = blocks('agents.md', 'python');
  writeFileSync(join(folder, 'agent.py'), python);
  // The first page has 50 messages.
  for (let i = 1; i <= 60; i++) await owner.say(`remark ${i}`, 'general', 'plan');
  const budget = await owner.say('The budget is 12.', 'general', 'money');
  const [make = '', run = ''] = blocks('agents.md', 'sh');
  const env = { URL: way.url, EMAIL: OWNER_EMAIL, KEY: owner.key };
  const type = (script: string) => {
    const agent = shell(folder, script.replace('python3 agent.py', 'exec python3 agent.py'), env);
    t.teardown(() => agent.kill());
    return agent;
  };
  const capabilities = { notification_settings_null: false, stream_typing_notifications: true };
  const reader = await QueueReader.open(owner, {
    event_types: ['message', 'typing'],
    apply_markdown: false,
    client_capabilities: capabilities,
  });
  /** What the bot does to answer one mention. */
  const answered = async (): Promise<unknown[]> => {
    const seen = await reader.until(({ type, op }) => type === 'typing' && op === 'stop');
    const started = seen.findIndex(({ op }) => op === 'start');
    return seen.flatMap(({ type, op, message }, i) => {
      // On a machine that is slow, it says again that it writes.
      if (type === 'typing') return op === 'stop' || i === started ? [op] : [];
      const { sender_full_name, subject, content } = message as Body;
      return sender_full_name === 'Helper' ? [[subject, content]] : [];
    });
  };
  const agent = type(`${make}\n${run}`);
  const ended = outcome(agent);
  const [line] = (await Promise.race([
    once(agent.stdout!, 'data'),
    ended.then((end) => [end]),
  ])) as unknown[];
  t.equal(String(line), 'listening\n');
  const question = await owner.say(
    `@**Helper** and #**general>money@${budget}**?`,
    'general',
    'plan',
  );
  t.same(await answered(), [
    'start',
    [
      'plan',
      'I read 60 messages, the first of which is: remark 1\n* linked: The budget is 12.\n\n' +
        `To #**general>plan@${question}**`,
    ],
    'stop',
  ]);
  t.same(way.attempts, ['lost', 'early', 200], 'sent three times, and one message');
  agent.kill();
  await ended;
  // Whether or not it had marked the first question as read, it does not answer it again.
  const missed = await owner.say('@**Helper** again?', 'general', 'later');
  const restarted = type(`export BOT_EMAIL=helper-bot@parley.invalid\n${run}`);
  t.same(await answered(), [
    'start',
    [
      'later',
      `I read 0 messages, the first of which is: @**Helper** again?\n\nTo #**general>later@${missed}**`,
    ],
    'stop',
  ]);
  restarted.kill();
});

type Form = readonly [
  what: string,
  method: string,
  path: string,
  sent: Readonly<Record<string, unknown>> | string | null,
  read: object,
];

void t.test('agents.md: what public MCP servers send gets what they read', async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const ann = await owner.createUser('ann');
  await owner.ok('PATCH', '/realm', { enable_read_receipts: true });
  const { user } = await owner.ok('GET', `/users/${ann.userId}`);
  const { email } = user as { email: string };
  const first = await owner.say('one', 'general', 'plan');
  const { stream_id } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const later = 4_000_000_000;
  const page = 'anchor=newest&num_before=20&num_after=0&narrow=';
  const pairs = encodeURIComponent('[["stream","general"],["topic","plan"]]');
  const terms = encodeURIComponent('[{"operator": "channel", "operand": "general"}]');
  const some = {
    messages: [{ id: first, sender_full_name: String, timestamp: Number, content: String }],
  };
  // As a text: a form. As an object: JSON, lists as they are. What is read is what their tools pass on.
  const forms: readonly Form[] = [
    ['accounts', 'GET', '/users', null, { members: [{ user_id: Number }] }],
    [
      'subscriptions',
      'GET',
      '/users/me/subscriptions',
      null,
      { subscriptions: [{ name: 'general' }] },
    ],
    [
      'with subscribers',
      'GET',
      '/users/me/subscriptions?include_subscribers=true',
      null,
      { subscriptions: [{ subscribers: [Number] }] },
    ],
    [
      'channels',
      'GET',
      '/streams?include_public=true&include_subscribed=true&include_all_active=false&include_archived=false',
      null,
      { streams: [{ name: 'general' }] },
    ],
    [
      'a channel',
      'GET',
      `/streams/${String(stream_id)}?include_subscribers=true`,
      null,
      { stream: { name: 'general' } },
    ],
    [
      'topics',
      'GET',
      `/users/me/${String(stream_id)}/topics`,
      null,
      { topics: [{ name: 'plan', max_id: first }] },
    ],
    ['pairs', 'GET', `/messages?${page}${pairs}`, null, some],
    [
      'terms',
      'GET',
      `/messages?anchor=newest&num_before=1000&num_after=0&narrow=${terms}&apply_markdown=false&client_gravatar=true`,
      null,
      { messages: [{ subject: 'greetings' }, { content: 'one' }] },
    ],
    [
      'newest',
      'GET',
      '/messages?anchor=newest&num_before=3&num_after=0',
      null,
      { messages: [{ subject: 'greetings' }, { id: first }] },
    ],
    [
      'a message',
      'GET',
      `/messages/${first}`,
      null,
      { message: { id: first, content: '<p>one</p>' } },
    ],
    ['receipts', 'GET', `/messages/${first}/read_receipts`, null, { user_ids: Array }],
    [
      'to a channel',
      'POST',
      '/messages',
      { type: 'stream', content: 'two', to: 'general', topic: 'plan' },
      { id: Number },
    ],
    [
      'to a person',
      'POST',
      '/messages',
      { type: 'direct', content: 'hi', to: [email] },
      { id: Number },
    ],
    [
      'by a form',
      'POST',
      '/messages',
      `type=direct&content=hi&to=${encodeURIComponent(JSON.stringify([email]))}`,
      { id: Number },
    ],
    ['an edit', 'PATCH', `/messages/${first}`, 'content=one%2C%20edited', { result: 'success' }],
    [
      'a reaction',
      'POST',
      `/messages/${first}/reactions`,
      { emoji_name: 'thumbs_up', reaction_type: 'unicode_emoji' },
      { result: 'success' },
    ],
    [
      'taken back',
      'DELETE',
      `/messages/${first}/reactions?emoji_name=thumbs_up&reaction_type=unicode_emoji`,
      null,
      { result: 'success' },
    ],
    [
      'scheduled',
      'POST',
      '/scheduled_messages',
      `type=stream&content=later&scheduled_delivery_timestamp=${later}&to=${String(stream_id)}&topic=plan`,
      { scheduled_message_id: Number },
    ],
    [
      'what is scheduled',
      'GET',
      '/scheduled_messages',
      null,
      { scheduled_messages: [{ content: 'later' }] },
    ],
    [
      'a draft',
      'POST',
      '/drafts',
      `drafts=${encodeURIComponent(JSON.stringify([{ type: 'stream', to: [stream_id], topic: 'plan', content: 'x' }]))}`,
      { ids: [Number] },
    ],
    ['drafts', 'GET', '/drafts', null, { drafts: [{ content: 'x' }] }],
    [
      'status',
      'POST',
      '/users/me/status',
      'status_text=busy&emoji_name=coffee&emoji_code=2615&reaction_type=unicode_emoji',
      { result: 'success' },
    ],
    [
      'a person',
      'GET',
      `/users/${encodeURIComponent(email)}`,
      null,
      { user: { user_id: ann.userId } },
    ],
    ['groups', 'GET', '/user_groups', null, { user_groups: [{ name: String }] }],
    ['the server', 'GET', '/server_settings', null, { realm_name: String }],
    ['emoji', 'GET', '/realm/emoji', null, { emoji: Object }],
  ];
  const Authorization = `Basic ${Buffer.from(`${owner.email}:${owner.key}`).toString('base64')}`;
  for (const [what, method, path, sent, read] of forms) {
    const isForm = typeof sent === 'string';
    const reply = await exchange(server.url, method, `/api/v1${path}`, {
      headers: {
        Authorization,
        'User-Agent': 'ZulipMCPServer/1.0.0',
        ...(sent === null
          ? {}
          : { 'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json' }),
      },
      ...(sent === null ? {} : { body: isForm ? sent : JSON.stringify(sent) }),
    });
    t.equal(reply.status, 200, `${what}: ${reply.text.slice(0, 200)}`);
    t.match(reply.body, read, what);
  }
});
