import { alertmanager } from './alertmanager.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { grafana } from './grafana.js';
import type { Integration } from './integration.js';
import { jenkins } from './jenkins.js';
import { jira } from './jira.js';
import { json } from './json.js';
import { pagerduty } from './pagerduty.js';
import { sentry } from './sentry.js';
import { slackIncoming } from './slack-incoming.js';
import { stripe } from './stripe.js';
import { zapier } from './zapier.js';

/** Every integration, by its name. */
export const INTEGRATIONS: ReadonlyMap<string, Integration> = new Map(
  [
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
  ].map((one) => [one.name, one]),
);
