import type { HookMessage, Integration } from './integration.js';
import type { Payload } from './payload.js';
import { anyBodyHmac } from './signatures.js';
import { bold, inline, link, quote } from './wording.js';

/** What happened to an incident, by kind of event. */
const VERBS: Readonly<Record<string, string>> = {
  'incident.triggered': 'triggered',
  'incident.acknowledged': 'acknowledged',
  'incident.unacknowledged': 'unacknowledged',
  'incident.resolved': 'resolved',
  'incident.reopened': 'reopened',
  'incident.escalated': 'escalated',
  'incident.reassigned': 'reassigned',
  'incident.delegated': 'delegated',
  'incident.priority_updated': 'given another priority',
};
const ANNOTATED = 'incident.annotated';
const PING = 'pagey.ping';

/** Version 3 of its webhooks. */
export const pagerduty: Integration = {
  name: 'pagerduty',
  displayName: 'PagerDuty',
  docs: 'https://developer.pagerduty.com/docs/webhooks-overview',
  events: [...Object.keys(VERBS), ANNOTATED, PING],
  signature: anyBodyHmac('x-pagerduty-signature'),
  eventOf: ({ payload }) => payload.get('event', 'event_type').text(),
  message: (event, payload) => {
    const data = payload.get('event', 'data');
    if (event === PING) {
      return {
        topic: 'PagerDuty',
        content: inline(data.get('message').textOr('The webhook works.')),
      };
    }
    if (event === ANNOTATED) return annotated(payload);
    return Object.hasOwn(VERBS, event) ? incident(payload, VERBS[event]!) : null;
  },
};

/** People who are named. */
const MAX_ASSIGNEES = 10;

function agent(payload: Payload): string {
  const who = payload.get('event', 'agent');
  return who.isThere
    ? ` by ${link(who.get('summary').textOr('somebody'), who.get('html_url'))}`
    : '';
}

function topicOf(data: Payload): string {
  return data.get('service', 'summary').textOr('PagerDuty');
}

function incident(payload: Payload, verb: string): HookMessage {
  const data = payload.get('event', 'data');
  const title = `Incident #${data.get('number').text()}`;
  const assignees = data.get('assignees').list.slice(0, MAX_ASSIGNEES);
  const people = assignees.map((one) => bold(one.get('summary').textOr('')));
  const urgency = data.get('urgency').textOr('');
  return {
    topic: topicOf(data),
    content:
      `${link(title, data.get('html_url'))} was ${verb}${agent(payload)}: ` +
      `${inline(data.get('title').text())}` +
      (people.length === 0 ? '' : `\n* Assigned to ${people.join(', ')}`) +
      (urgency === '' ? '' : `\n* Urgency: ${inline(urgency)}`),
  };
}

function annotated(payload: Payload): HookMessage {
  const data = payload.get('event', 'data');
  const about = data.get('incident');
  return {
    topic: topicOf(data),
    content:
      `A note was added to ${link(about.get('summary').textOr('an incident'), about.get('html_url'))}` +
      `${agent(payload)}:${quote(data.get('content').text())}`,
  };
}
