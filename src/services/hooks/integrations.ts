import { alertmanager } from './alertmanager.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { grafana } from './grafana.js';
import type { Integration } from './integration.js';
import { jenkins } from './jenkins.js';
import { jira } from './jira.js';
import { json, zapier } from './plain.js';
import { pagerduty } from './pagerduty.js';
import { sentry } from './sentry.js';
import { slackIncoming } from './slack-incoming.js';
import { stripe } from './stripe.js';

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
