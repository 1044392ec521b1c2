import { createHmac } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Body } from '../harness/client.js';
import { Hook, JSON_TYPE } from '../harness/hook.js';
import { askOrganization } from '../harness/organization.js';

// A server for each test, on a machine that does much else.
t.setTimeout(180_000);

const JENKINS = {
  name: 'asgard',
  build: { full_url: 'http://ci.example/asgard/18/', number: 18, phase: 'STARTED' },
};
const STARTED = 'Build [asgard #18](http://ci.example/asgard/18/) started.';

async function world(t: Test) {
  const { server, owner, hamlet } = await askOrganization(t);
  return { server, owner, hamlet, hook: await Hook.create(hamlet, 'Hook') };
}

void t.test('a webhook makes a message of its bot', async (t) => {
  const { hamlet, hook } = await world(t);
  const { status, body } = await hook.call('jenkins', { stream: 'general' }, JENKINS);
  t.strictSame([status, body], [200, { result: 'success', msg: '' }]);
  const { subscriptions } = await hamlet.ok('GET', '/users/me/subscriptions');
  const [general] = subscriptions as { stream_id: number }[];
  const chosen = { stream: String(general!.stream_id), topic: 'builds', unknown: 'x' };
  t.strictSame((await hook.call('jenkins', chosen, JENKINS)).body, { result: 'success', msg: '' });
  await hook.call('jenkins', {}, JENKINS);
  t.match(await hook.messages(), [
    {
      display_recipient: 'general',
      subject: 'asgard',
      content: STARTED,
      client: 'Webhook jenkins',
    },
    { display_recipient: 'general', subject: 'builds', content: STARTED },
    {
      type: 'private',
      display_recipient: [{ id: hamlet.userId }, { id: hook.id }],
      content: STARTED,
    },
  ]);
});

void t.test(
  'a name with hidden characters at the service makes a topic without them',
  async (t) => {
    const { hook } = await world(t);
    const named = (name: string) => ({ ...JENKINS, name });
    const call = (topic: Readonly<Record<string, string>>, name: string) =>
      hook.call('jenkins', { stream: 'general', ...topic }, named(name));
    for (const name of ['as\u202egard\u200b', 'asgard@home\u0007']) {
      t.equal((await call({}, name)).status, 200);
    }
    const { body } = await call({ topic: 'bui\u202elds' }, 'asgard');
    t.equal(body.msg, 'Invalid character in topic, at position 4!', 'who sets it up is told');
    t.match(await hook.messages(), [{ subject: 'asgard' }, { subject: 'asgard@home' }]);
  },
);

void t.test('forms, and JSON of other types', async (t) => {
  const { hook } = await world(t);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const payload = `payload=${encodeURIComponent(JSON.stringify({ text: '*hi*' }))}`;
  t.equal((await hook.call('slack_incoming', {}, payload, form)).status, 200);
  t.equal((await hook.call('zapier', {}, 'content=from+a+zap', form)).status, 200);
  t.equal((await hook.call('json', {}, '[1]', { 'Content-Type': 'text/plain' })).status, 200);
  t.match(await hook.messages(), [
    { content: '**hi**' },
    { content: 'from a zap' },
    { content: '```json\n[\n  1\n]\n```' },
  ]);
});

void t.test('no topic or text of an outsider is refused for its characters', async (t) => {
  const { owner, hook } = await world(t);
  const started = (name: string) =>
    hook.call('jenkins', { stream: 'general' }, { ...JENKINS, name });
  for (const name of ['two\nlines\u0000', 'a\u202eb', '\u0000', '(no topic)']) {
    t.equal((await started(name)).status, 200);
  }
  await hook.call('zapier', { stream: 'general' }, { topic: 'x\ty', content: 'a\u0000b' });
  t.match(await hook.messages(), [
    { subject: 'two lines' },
    { subject: 'ab' },
    { subject: 'Jenkins' },
    { subject: 'Jenkins' },
    { subject: 'x y', content: 'ab' },
  ]);
  const created = { subscriptions: [{ name: 'plain' }], topics_policy: 'empty_topic_only' };
  await owner.ok('POST', '/users/me/subscriptions', created);
  t.equal((await hook.call('jenkins', { stream: 'plain' }, JENKINS)).status, 200);
  const chosen = await hook.call('jenkins', { stream: 'plain', topic: 'x' }, JENKINS);
  t.equal(chosen.status, 400, 'whoever set it up hears of a topic that cannot be');
});

void t.test('events that are selected, and such as make no message', async (t) => {
  const { hook } = await world(t);
  const completed = {
    ...JENKINS,
    build: { ...JENKINS.build, phase: 'COMPLETED', status: 'SUCCESS' },
  };
  const queued = { ...JENKINS, build: { ...JENKINS.build, phase: 'QUEUED' } };
  for (const [query, payload, expected] of [
    [{ only_events: '["COMPLETED"]' }, JENKINS, undefined],
    [{ exclude_events: '["START*"]' }, JENKINS, undefined],
    [{ only_events: '["*ED"]' }, completed, undefined],
    [{}, queued, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE'],
  ] as const) {
    const { status, body } = await hook.call('jenkins', query, payload);
    t.match({ status, ...body }, { status: 200, result: 'success' });
    t.equal(body.code, expected);
  }
  t.match((await hook.call('jenkins', {}, queued)).body, {
    webhook_name: 'Jenkins',
    event_type: 'QUEUED',
  });
  t.equal((await hook.messages()).length, 1);
});

void t.test('what came before the header of a service makes a message without it', async (t) => {
  const { hook } = await world(t);
  const ofPlugin = { project_name: 'play', message: 'Hold', culprit: 'a.b in c', url: '' };
  const { status, body } = await hook.call('sentry', { stream: 'general' }, ofPlugin);
  t.strictSame([status, body], [200, { result: 'success', msg: '' }]);
  const content = 'New event: Hold.\n* Where: a.b in c';
  t.match(await hook.messages(), [{ subject: 'play', content }]);
});

const NO_INTEGRATION =
  'There is no such integration here. There are: airbrake, alertmanager, ansibletower, appveyor, asana, ' +
  'azuredevops, basecamp, beanstalk, bitbucket2, bitbucket, bitbucket3, bugsnag, buildbot, buildkite, circleci, ' +
  'clubhouse, shortcut, confluence, discourse, dockerhub, dropbox, freshdesk, gitea, github, gitlab, gogs, grafana,' +
  ' harbor, healthchecks, helloworld, heroku, ifttt, intercom, jenkins, jira, json, librato, linear, mailgun, ' +
  'netlify, newrelic, opsgenie, pagerduty, papertrail, pingdom, rhodecode, rollbar, semaphore, sentry, shopify, ' +
  'slack, slack_incoming, sonarqube, splunk, statuspage, stripe, teamcity, travis, trello, uptimerobot, wordpress, ' +
  'zabbix, zapier, zendesk.';

void t.test('a request with malformed JSON or of an unknown service is refused', async (t) => {
  const { owner, hook } = await world(t);
  for (const [name, query, body, expected] of [
    ['nothing', {}, {}, [404, 'BAD_REQUEST', NO_INTEGRATION]],
    ['json', {}, '{', [400, 'INVALID_JSON', 'Malformed JSON']],
    ['json', {}, '[['.repeat(20), [400, 'INVALID_JSON', 'Malformed JSON']],
    [
      'github',
      {},
      {},
      [400, 'MISSING_HTTP_EVENT_HEADER', "Missing the HTTP event header 'x-github-event'"],
    ],
    [
      'sentry',
      {},
      { action: 'created', data: { issue: {} } },
      [400, 'MISSING_HTTP_EVENT_HEADER', "Missing the HTTP event header 'sentry-hook-resource'"],
    ],
    [
      'jenkins',
      {},
      { build: {} },
      [
        400,
        'ANOMALOUS_WEBHOOK_PAYLOAD',
        'Unable to parse request: Did Jenkins generate this event?',
      ],
    ],
    [
      'json',
      { stream: 'absent' },
      {},
      [400, 'STREAM_DOES_NOT_EXIST', "Channel 'absent' does not exist"],
    ],
    [
      'json',
      {},
      `[${'[],'.repeat(50_000)}1]`,
      [400, 'BAD_REQUEST', 'The payload has too many lists, objects and members (limit: 50000).'],
    ],
    ['json', { api_key: 'x'.repeat(32) }, {}, [401, 'UNAUTHORIZED', 'Invalid API key']],
    ['json', { api_key: 'x' }, {}, [401, 'UNAUTHORIZED', 'Malformed API key']],
  ] as const) {
    const { status, body: reply } = await hook.call(name, query, body);
    t.strictSame([status, reply.code, reply.msg], expected, String(expected[2]));
  }
  const large = `"${'x'.repeat(1024 * 1024)}"`;
  t.equal((await hook.call('json', {}, large)).status, 413);
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const fields = Array.from({ length: 1001 }, (_, i) => `f${i}=1`).join('&');
  t.match((await hook.call('json', {}, fields, form)).body, {
    msg: 'Too many form fields (limit: 1000)',
  });
  const person = await owner.call('POST', '/external/json', {});
  t.match(person.body, {
    msg: 'Webhooks need the API key of an incoming webhook bot or a generic bot.',
  });
  await owner.ok('DELETE', `/bots/${hook.id}`);
  t.match((await hook.call('json', {}, {})).body, { msg: 'Account is deactivated' });
  t.same(await hook.messages(), []);
});

void t.test('a bot with a secret takes only what is signed with it', async (t) => {
  const { hamlet } = await askOrganization(t);
  const secret = 'something is rotten';
  const hook = await Hook.create(hamlet, 'Signed', { config_data: { webhook_secret: secret } });
  const body = JSON.stringify({
    zen: 'x',
    repository: { name: 'elsinore' },
    sender: { login: 'h' },
  });
  const signed = (key: string) => ({
    ...JSON_TYPE,
    'X-GitHub-Event': 'ping',
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', key).update(body).digest('hex')}`,
  });
  const wrong = [401, 'UNAUTHORIZED', 'The signature of the webhook is missing or wrong.'];
  const by = async (headers: Readonly<Record<string, string>>) => {
    const { status, body: reply } = await hook.call('github', {}, body, headers);
    return status === 200 ? 200 : [status, reply.code, reply.msg];
  };
  t.equal(await by(signed(secret)), 200);
  t.same(await by(signed('another')), wrong);
  t.same(await by({ ...JSON_TYPE, 'X-GitHub-Event': 'ping' }), wrong);
  t.match((await hook.call('zapier', {}, { content: 'x' })).body, {
    msg: 'Zapier does not sign its webhooks.',
  });
  const changed = await hamlet.ok('PATCH', `/bots/${hook.id}`, {
    config_data: '{"webhook_secret":""}',
  });
  t.equal(changed.config_data, null);
  t.equal(await by({ ...JSON_TYPE, 'X-GitHub-Event': 'ping' }), 200, 'without a secret again');
  const { status } = await hamlet.call('PATCH', `/bots/${hook.id}`, {
    config_data: '{"other":"x"}',
  });
  t.equal(status, 400);
});

void t.test(
  'the owner of a bot is told once of each kind of event that nobody knows',
  async (t) => {
    const { hamlet, hook } = await world(t);
    const build = (event: string) => ({
      event,
      buildid: 1,
      buildername: 'b',
      url: '',
      project: 'p',
    });
    for (const event of ['rebuilt', 'rebuilt', 'x`y', 'new']) {
      t.equal(
        (await hook.call('buildbot', { stream: 'general' }, build(event))).status,
        200,
        event,
      );
    }
    await hook.call('buildbot', { exclude_events: '["lost*"]' }, build('lost'));
    await hook.call('json', {}, build('rebuilt'));
    const push = { ...JSON_TYPE, 'X-Event-Key': 'repo:updated' };
    await hook.call('bitbucket', {}, {}, push);
    const page = { anchor: 'newest', num_before: 100, num_after: 0, apply_markdown: false };
    const { messages } = await hamlet.ok('GET', '/messages', page);
    const notices = (messages as Body[]).filter(
      ({ sender_full_name }) => sender_full_name === 'Notification Bot',
    );
    const notice = (kind: string, pattern: string) =>
      `Buildbot sent your bot @_**Hook|${hook.id}** an event of the kind \`${kind}\`, of which no message is made. You are told ` +
      'once about each kind. To leave it out, switch it off at the service, or add ' +
      `\`exclude_events=["${pattern}"]\` to the address.`;
    t.same(
      notices.map(({ type, content }) => [type, content]),
      [
        ['private', notice('rebuilt', 'rebuilt')],
        ['private', notice("x'y", "x'y")],
      ],
    );
    t.match(await hook.messages(), [{ subject: 'p' }, { subject: 'JSON' }].slice(0, 1));
  },
);

void t.test('services that try an address are answered, and say nothing by it', async (t) => {
  const { hook } = await world(t);
  const { status, body } = await hook.call('zapier', {}, { type: 'auth' });
  t.strictSame(
    [status, body],
    [
      200,
      {
        result: 'success',
        msg: '',
        full_name: 'Hook',
        email: 'hook-bot@parley.invalid',
        id: hook.id,
      },
    ],
  );
  const tried = await hook.call(
    'slack',
    {},
    { type: 'url_verification', challenge: '3eZbrw1aBm2r' },
  );
  t.strictSame(tried.body, { result: 'success', msg: '', challenge: '3eZbrw1aBm2r' });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const said = 'user_name=ann&channel_name=general&text=*hi*+%3C%21channel%3E';
  t.strictSame((await hook.call('slack', { stream: 'general' }, said, form)).body, {
    result: 'success',
    msg: '',
  });
  await hook.call('slack', { stream: 'general' }, said.replace('ann', 'slackbot'), form);
  t.equal(await hook.probe('HEAD', 'trello'), 200);
  t.equal(await hook.probe('GET', 'trello'), 200);
  t.equal(await hook.probe('HEAD', 'nothing'), 404);
  const asked = await hook.ask('dropbox', '&challenge=3eZbrw1aBm2r');
  t.strictSame(
    [
      await asked.text(),
      ...['content-type', 'x-content-type-options'].map((one) => asked.headers.get(one)),
    ],
    ['3eZbrw1aBm2r', 'text/plain', 'nosniff'],
  );
  for (const [service, word] of [
    ['dropbox', '<script>'],
    ['trello', 'word'],
  ] as const) {
    const none = await hook.ask(service, `&challenge=${encodeURIComponent(word)}`);
    t.strictSame(await none.json(), { result: 'success', msg: '' });
  }
  const method = 'POST';
  const headers = { ...JSON_TYPE, 'X-Hook-Secret': 'b537207f20cbfa02357cf448134da559' };
  const shaken = await hook.ask('asana', '', { method, headers, body: '{}' });
  t.equal(shaken.headers.get('x-hook-secret'), 'b537207f20cbfa02357cf448134da559');
  const other = await hook.ask('github', '', { method, headers, body: '{}' });
  t.equal(other.headers.get('x-hook-secret'), null);
  t.match(await hook.messages(), [
    { subject: 'channel: general', content: '**ann**: **hi** @\u200bchannel' },
  ]);
  t.equal((await hook.messages()).length, 1);
});

void t.test('a bot with another key is known by that', async (t) => {
  const { hamlet, hook } = await world(t);
  t.equal((await hook.call('json', {}, {})).status, 200);
  const { api_key } = await hamlet.ok('POST', `/bots/${hook.id}/api_key/regenerate`);
  t.equal((await hook.call('json', {}, {})).status, 401);
  t.equal((await hook.call('json', { api_key: String(api_key) }, {})).status, 200);
});

void t.test('clients learn what integrations there are', async (t) => {
  const { owner } = await askOrganization(t);
  const { realm_incoming_webhook_bots: known } = await owner.register({
    fetch_event_types: ['realm_incoming_webhook_bots'],
  });
  const github = (known as Body[]).find(({ name }) => name === 'github')!;
  t.match(github, {
    display_name: 'GitHub',
    config_options: [{ key: 'webhook_secret', label: 'Secret', validator: 'check_string' }],
    url_options: [],
  });
  t.ok((github.all_event_types as string[]).includes('push'));
  t.equal((known as Body[]).length, 62);
  const bitbucket = (known as Body[]).filter(({ name }) => /^bitbucket/.test(String(name)));
  t.same(
    bitbucket.map(({ name }) => name),
    ['bitbucket2', 'bitbucket3'],
  );
});
