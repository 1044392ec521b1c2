import t from 'tap';
import { jenkins } from '../../../../src/services/hooks/jenkins.js';
import { pagerduty } from '../../../../src/services/hooks/pagerduty.js';
import { sentry } from '../../../../src/services/hooks/sentry.js';
import { Payload } from '../../../../src/services/hooks/payload.js';
import { told } from './told.js';

void t.test('Sentry: issues and alerts', async (t) => {
  // After https://docs.sentry.io/organization/integrations/integration-platform/webhooks/
  const by = (resource: string, payload: object) =>
    told(sentry, payload, { 'sentry-hook-resource': resource });
  const issue = {
    title: 'Error: hold',
    culprit: 'app/play.js',
    level: 'error',
    shortId: 'PLAY-1',
    web_url: 'https://sentry.io/issues/1/',
    project: { name: 'Play' },
  };
  t.same(by('issue', { action: 'created', actor: { name: 'Sentry' }, data: { issue } }), [
    'Play / Error: hold',
    'Issue [Error: hold](https://sentry.io/issues/1/) was created by Sentry.\n* Level: error\n* Where: app/play.js\n* Id: PLAY-1',
  ]);
  const event = {
    title: 'ReferenceError',
    web_url: 'https://sentry.io/e/1',
    level: 'error',
    culprit: '?(<anonymous>)',
    platform: 'javascript',
  };
  t.same(
    by('event_alert', {
      action: 'triggered',
      data: { event, triggered_rule: 'Very Important Alert Rule!' },
    }),
    [
      'ReferenceError',
      'Alert **Very Important Alert Rule!** was triggered by [ReferenceError](https://sentry.io/e/1).' +
        '\n* Level: error\n* Where: ?(<anonymous>)\n* Platform: javascript',
    ],
  );
  const metric = {
    action: 'critical',
    data: {
      metric_alert: { title: 'Too many errors' },
      description_title: 'Critical: errors',
      description_text: '1000 events',
      web_url: 'https://sentry.io/m',
    },
  };
  t.same(by('metric_alert', metric), [
    'Too many errors',
    '**critical**: [Critical: errors](https://sentry.io/m)\n\n~~~ quote\n1000 events\n~~~',
  ]);
  t.equal(by('installation', { action: 'created' }), null);
});

void t.test('Sentry: its older plugin, which names no kind in a header', async (t) => {
  // After https://github.com/getsentry/sentry-webhooks#callback-receivers and its later `url`, `event` and `triggering_rules`
  const sent = {
    id: '4218258981',
    project: 'play',
    project_name: 'Play',
    project_slug: 'play',
    logger: null,
    level: 'error',
    culprit: 'raven.scripts.runner in main',
    message: 'This is an example Python exception',
    url: 'https://sentry.io/issues/4218258981/',
    triggering_rules: ['New issues', 'Errors'],
    event: { event_id: '4dc4', platform: 'python', title: 'An example exception' },
  };
  t.same(told(sentry, sent), [
    'Play',
    'New event: [An example exception](https://sentry.io/issues/4218258981/).' +
      '\n* Level: error\n* Where: raven.scripts.runner in main\n* Rules: New issues, Errors',
  ]);
  t.same(told(sentry, { ...sent, triggering_rules: [], event: { event_id: '4dc4' } }), [
    'Play',
    'New event: [This is an example Python exception](https://sentry.io/issues/4218258981/).' +
      '\n* Level: error\n* Where: raven.scripts.runner in main',
  ]);
  t.match(told(sentry, { ...sent, message: '', event: null }), [
    'Play',
    /^New event: \[raven\.scripts\.runner in main\]/,
  ]);
  t.ok(sentry.needsNoHeader?.(new Payload(sent)));
  t.notOk(sentry.needsNoHeader?.(new Payload({ action: 'created', data: { issue: {} } })));
});

void t.test('PagerDuty: what happens to incidents', async (t) => {
  // After https://developer.pagerduty.com/docs/webhooks-overview
  const event = (event_type: string, data: object) => ({
    event: {
      event_type,
      agent: { summary: 'Tenex Engineer', html_url: 'https://acme.pagerduty.com/users/P1' },
      data,
    },
  });
  const data = {
    id: 'PGR0VU2',
    number: 2,
    title: 'A little bump in the road',
    html_url: 'https://acme.pagerduty.com/incidents/PGR0VU2',
    service: { summary: 'API Service' },
    assignees: [{ summary: 'Tenex Engineer' }],
    urgency: 'high',
  };
  t.same(told(pagerduty, event('incident.acknowledged', data)), [
    'API Service',
    '[Incident #2](https://acme.pagerduty.com/incidents/PGR0VU2) was acknowledged by ' +
      '[Tenex Engineer](https://acme.pagerduty.com/users/P1): A little bump in the road' +
      '\n* Assigned to **Tenex Engineer**\n* Urgency: high',
  ]);
  t.same(told(pagerduty, event('pagey.ping', { message: 'Hello from your friend Pagey!' })), [
    'PagerDuty',
    'Hello from your friend Pagey!',
  ]);
  const note = {
    content: 'Looking',
    incident: { summary: 'Bump', html_url: 'https://acme.pagerduty.com/i' },
  };
  t.match(told(pagerduty, event('incident.annotated', note)), [
    'PagerDuty',
    /^A note was added to \[Bump\].*\nLooking/s,
  ]);
  t.equal(told(pagerduty, event('service.updated', {})), null);
});

void t.test('Jenkins: builds become messages with their result', async (t) => {
  // After https://plugins.jenkins.io/notification/
  const build = (phase: string, more: object = {}) => ({
    name: 'asgard',
    display_name: 'Asgard',
    url: 'job/asgard/',
    build: {
      full_url: 'http://localhost:8080/job/asgard/18/',
      number: 18,
      phase,
      scm: { branch: 'origin/main' },
      ...more,
    },
  });
  t.same(told(jenkins, build('STARTED')), [
    'Asgard',
    'Build [Asgard #18](http://localhost:8080/job/asgard/18/) on `origin/main` started.',
  ]);
  t.same(told(jenkins, build('COMPLETED', { status: 'SUCCESS', duration: 61_400 })), [
    'Asgard',
    'Build [Asgard #18](http://localhost:8080/job/asgard/18/) on `origin/main`: **success** after 61 s.',
  ]);
  t.match(told(jenkins, build('COMPLETED', { status: 'FAILURE', log: 'a\nFinished: FAILURE\n' })), [
    'Asgard',
    /\*\*failure\*\*\.\n\* Finished: FAILURE$/,
  ]);
  const long = `${'a line\n'.repeat(20_000)}Finished: ABORTED`;
  t.match(told(jenkins, build('COMPLETED', { status: 'ABORTED', log: long })), [
    'Asgard',
    /\n\* Finished: ABORTED$/,
  ]);
  t.equal(told(jenkins, build('FINALIZED', { status: 'SUCCESS' })), null);
});
