import { createHmac } from 'node:crypto';
import t from 'tap';
import { receiveWebhook } from '../../../../schemas/hooks/external.js';
import { ALL_INTEGRATIONS, INTEGRATIONS } from '../../../../src/services/hooks/integrations.js';
import { Payload } from '../../../../src/services/hooks/payload.js';
import { isSelected } from '../../../../src/services/hooks/integration.js';

const SECRET = "It's a Secret to Everybody";
const BODY = Buffer.from('Hello, World!');
const NOW = 1_769_853_600_000;
/** The example of GitHub's documentation. */
const HMAC = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';

/** The same in base64, and by HMAC-SHA1, as openssl makes it. */
const BASE64 = Buffer.from(HMAC, 'hex').toString('base64');
const HMAC_SHA1 = '01dc10d0c83e72ed246219cdd91669667fe2ca59';

const TIMED = createHmac('sha256', SECRET)
  .update(`${NOW / 1000}.Hello, World!`)
  .digest('hex');

function isSigned(
  name: string,
  headers: Readonly<Record<string, string>>,
  now = NOW,
  body = BODY,
): boolean {
  const header = (key: string) => headers[key] ?? '';
  return INTEGRATIONS.get(name)!.signature!(SECRET, { header, body, now });
}

void t.test('each service that signs is checked as it signs', async (t) => {
  for (const [name, header, value, wrong] of [
    ['github', 'x-hub-signature-256', `sha256=${HMAC}`, HMAC],
    ['json', 'x-hub-signature-256', `sha256=${HMAC}`, `sha1=${HMAC}`],
    ['jira', 'x-hub-signature', `sha256=${HMAC}`, ''],
    ['gitlab', 'x-gitlab-token', SECRET, `${SECRET}!`],
    ['bitbucket', 'x-hub-signature', `sha256=${HMAC}`, HMAC],
    ['bitbucket3', 'x-hub-signature', `sha256=${HMAC}`, HMAC],
    ['buildkite', 'x-buildkite-token', SECRET, ''],
    ['circleci', 'circleci-signature', `v1=${HMAC},v2=00`, HMAC],
    ['asana', 'x-hook-signature', HMAC, `sha256=${HMAC}`],
    ['dropbox', 'x-dropbox-signature', HMAC, `sha256=${HMAC}`],
    ['discourse', 'x-discourse-event-signature', `sha256=${HMAC}`, HMAC],
    ['gitea', 'x-gitea-signature', HMAC, `sha256=${HMAC}`],
    ['gogs', 'x-gogs-signature', HMAC, `sha256=${HMAC}`],
    ['heroku', 'heroku-webhook-hmac-sha256', BASE64, HMAC],
    ['intercom', 'x-hub-signature', `sha1=${HMAC_SHA1}`, `sha1=${HMAC}`],
    ['linear', 'linear-signature', HMAC, `sha256=${HMAC}`],
    ['shopify', 'x-shopify-hmac-sha256', BASE64, HMAC],
    ['sonarqube', 'x-sonar-webhook-hmac-sha256', HMAC, `sha256=${HMAC}`],
    ['sentry', 'sentry-hook-signature', HMAC, HMAC.slice(1)],
    ['grafana', 'x-grafana-alerting-signature', HMAC, 'x'],
    ['pagerduty', 'x-pagerduty-signature', `v1=00,v1=${HMAC}`, `v0=${HMAC}`],
    [
      'stripe',
      'stripe-signature',
      `t=${NOW / 1000},v1=${TIMED},v0=x`,
      `t=${NOW / 1000 - 1},v1=${TIMED}`,
    ],
  ] as const) {
    t.ok(isSigned(name, { [header]: value }), name);
    t.notOk(isSigned(name, { [header]: wrong }), `${name}: another one`);
    t.notOk(isSigned(name, {}), `${name}: none`);
  }
  const timestamp = String(NOW / 1000);
  const signature = createHmac('sha256', SECRET).update(`${timestamp}word`).digest('hex');
  const mail = (signed: object, now = NOW): boolean =>
    isSigned('mailgun', {}, now, Buffer.from(JSON.stringify({ signature: signed })));
  t.ok(mail({ timestamp, token: 'word', signature }), 'mailgun');
  t.notOk(mail({ timestamp, token: 'words', signature }), 'mailgun: another one');
  t.notOk(mail({ timestamp, token: 'word', signature }, NOW + 301_000), 'mailgun: sent again');
  // What is no number is neither too old nor too young.
  for (const time of ['', 'soon', '1e999', `${timestamp}x`, 'NaN']) {
    const right = createHmac('sha256', SECRET).update(`${time}word`).digest('hex');
    t.notOk(mail({ timestamp: time, token: 'word', signature: right }), `mailgun: at ${time}`);
  }
  t.notOk(isSigned('mailgun', {}), 'mailgun: no JSON');
  t.notOk(mail({}), 'mailgun: none');

  const unsigned = ALL_INTEGRATIONS.filter(({ signature }) => !signature);
  t.same(
    unsigned.map(({ name }) => name),
    (
      'airbrake alertmanager ansibletower appveyor azuredevops basecamp beanstalk bugsnag buildbot clubhouse confluence dockerhub ' +
      'freshdesk harbor healthchecks helloworld ifttt jenkins librato netlify newrelic opsgenie papertrail pingdom ' +
      'rhodecode rollbar semaphore slack slack_incoming splunk statuspage teamcity travis trello uptimerobot wordpress zabbix zapier zendesk'
    ).split(' '),
  );
});

void t.test('a signature with a time ends with it', async (t) => {
  const headers = { 'stripe-signature': `t=${NOW / 1000},v1=${TIMED}` };
  t.ok(isSigned('stripe', headers, NOW + 300_000));
  t.notOk(isSigned('stripe', headers, NOW + 301_000));
});

void t.test('every header that an integration reads reaches it, on every node', async (t) => {
  const read = new Set<string>();
  const header = (name: string) => {
    read.add(name);
    return '';
  };
  // Enough for a text with an address that a header begins.
  const payload = new Payload({ topic: { title: 'a', slug: 'a', id: 1 } });
  for (const {
    eventOf,
    signature,
    eventHeader,
    events,
    message,
    echoed,
  } of INTEGRATIONS.values()) {
    for (const one of [eventHeader, echoed?.header]) if (one) read.add(one);
    signature?.(SECRET, { header, body: BODY, now: NOW });
    for (const readOne of [
      () => eventOf({ header, payload: new Payload({}) }),
      ...(events ?? []).map((event) => () => message(event, payload, header)),
    ]) {
      try {
        readOne();
      } catch {
        // By its payload.
      }
    }
  }
  t.same([...read].sort(), receiveWebhook.rawBody!.headers);
});

void t.test('patterns select and exclude events', async (t) => {
  for (const [event, only, exclude, expected] of [
    ['push', undefined, undefined, true],
    ['push', ['push'], undefined, true],
    ['pull_request_review', ['pull_*'], undefined, true],
    ['pull_request_review', ['pull_*'], ['*review'], false],
    ['push', ['p*s*h'], undefined, true],
    ['ph', ['p*s*h'], undefined, false],
    ['aa', ['aa*aa'], undefined, false],
    ['push', [], undefined, false],
    ['push', undefined, ['*'], false],
  ] as const) {
    t.equal(
      isSelected(event, only, exclude),
      expected,
      `${event} ${JSON.stringify([only, exclude])}`,
    );
  }
});
