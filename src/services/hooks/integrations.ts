import { alertmanager } from './alertmanager.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { grafana } from './grafana.js';
import type { Integration } from './integration.js';
import { jenkins } from './jenkins.js';
import { jira } from './jira.js';
import { json, zapier } from './plain.js';
import { pagerduty } from './pagerduty.js';
import { SENDERS } from './senders/index.js';
import { sentry } from './sentry.js';
import { slackIncoming } from './slack-incoming.js';
import { stripe } from './stripe.js';

/** Every integration, sorted by its name. */
export const ALL_INTEGRATIONS: readonly Integration[] = [
  alertmanager,
  github,
  gitlab,
  grafana,
  jenkins,
  jira,
  json,
  pagerduty,
  sentry,
  slackIncoming,
  stripe,
  zapier,
  ...SENDERS,
].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Every integration, by each of its names. */
export const INTEGRATIONS: ReadonlyMap<string, Integration> = new Map(
  ALL_INTEGRATIONS.flatMap((one) =>
    [one.name, ...(one.otherNames ?? [])].map((name) => [name, one] as const),
  ),
);
