import { byEvent, type HookMessage, type Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bodyHmac } from './signatures.js';
import { bold, code, inline, link, quote, spaced } from './wording.js';

/** Kind of what Sentry's older plugin "WebHooks" posts, which names no kind and does not sign. */
const PLUGIN = 'plugin';

const { events, message } = byEvent({
  issue,
  event_alert: (payload) => {
    const event = payload.get('data', 'event');
    const rule = payload.get('data', 'triggered_rule').textOr('an alert rule');
    return occurrence(event, `Alert ${bold(rule)} was triggered by `);
  },
  error: (payload) => occurrence(payload.get('data', 'error'), 'New error: '),
  metric_alert: (payload) => {
    const data = payload.get('data');
    const title = data.get('description_title').text();
    return {
      topic: data.get('metric_alert', 'title').textOr('Metric alert'),
      content:
        `${bold(spaced(payload.get('action').text()))}: ${link(title, data.get('web_url'))}` +
        quote(data.get('description_text').textOr('')),
    };
  },
  comment: (payload) => ({
    topic: payload.get('data', 'project_slug').textOr('Sentry'),
    content:
      `${actor(payload)} ${spaced(payload.get('action').text())} a comment on issue ` +
      `${code(payload.get('data', 'issue_id').text())}:${quote(payload.get('data', 'comment').textOr(''))}`,
  }),
  [PLUGIN]: plugin,
});

export const sentry: Integration = {
  name: 'sentry',
  displayName: 'Sentry',
  docs: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/',
  events,
  eventHeader: 'sentry-hook-resource',
  needsNoHeader: isOfPlugin,
  signature: bodyHmac('sentry-hook-signature'),
  eventOf: ({ header, payload }) =>
    header('sentry-hook-resource') || (isOfPlugin(payload) ? PLUGIN : ''),
  message,
};

function actor(payload: Payload): string {
  return inline(payload.get('actor', 'name').textOr('Sentry'));
}

/** The plugin has the issue at the top and the event beside it; everything newer has `data`. */
function isOfPlugin(payload: Payload): boolean {
  return !payload.get('data').isThere && payload.get('project_name').isThere;
}

function plugin(payload: Payload): HookMessage {
  const event = payload.get('event');
  const message = payload.get('message').textOr('');
  const title = event.get('title').textOr(message === '' ? payload.get('culprit').text() : message);
  const rules = payload.get('triggering_rules').list.map((one) => one.textOr(''));
  return {
    topic: payload.get('project_name').text(),
    content:
      `New event: ${link(title, payload.get('url'))}.` +
      details([
        ['Level', payload.get('level').textOr('')],
        ['Where', payload.get('culprit').textOr('')],
        ['Rules', rules.filter((one) => one !== '').join(', ')],
      ]),
  };
}

function issue(payload: Payload): HookMessage {
  const subject = payload.get('data', 'issue');
  const address = subject.get('web_url').isThere
    ? subject.get('web_url')
    : subject.get('permalink');
  const project = subject
    .get('project', 'name')
    .textOr(subject.get('project', 'slug').textOr('Sentry'));
  const title = subject.get('title').text();
  const person = subject.get('assignedTo', 'name').textOr('');
  const action = payload.get('action').text();
  const to = action === 'assigned' && person !== '' ? ` to ${inline(person)}` : '';
  const where = subject.get('culprit').textOr('');
  return {
    topic: `${project} / ${title}`,
    content:
      `Issue ${link(title, address)} was ${spaced(action)}${to} by ${actor(payload)}.` +
      details([
        ['Level', subject.get('level').textOr('')],
        ['Where', where],
        ['Id', subject.get('shortId').textOr('')],
      ]),
  };
}

function occurrence(event: Payload, before: string): HookMessage {
  const title = event.get('title').text();
  const address = event.get('web_url').isThere ? event.get('web_url') : event.get('url');
  return {
    topic: title,
    content:
      `${before}${link(title, address)}.` +
      details([
        ['Level', event.get('level').textOr('')],
        ['Where', event.get('culprit').textOr(event.get('location').textOr(''))],
        ['Platform', event.get('platform').textOr('')],
      ]),
  };
}

function details(lines: readonly (readonly [string, string])[]): string {
  const said = lines.filter(([, value]) => value !== '');
  return said.map(([name, value]) => `\n* ${name}: ${inline(value)}`).join('');
}
