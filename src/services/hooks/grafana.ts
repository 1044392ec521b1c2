import type { Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bodyHmac } from './signatures.js';
import { alertLines } from './alerts.js';
import { bold, counted, inline, link } from './wording.js';

export const grafana: Integration = {
  name: 'grafana',
  displayName: 'Grafana',
  docs: 'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  events: ['firing', 'resolved'],
  signature: bodyHmac('x-grafana-alerting-signature'),
  eventOf: ({ payload }) => payload.get('status').textOr('firing'),
  message: (event, payload) => {
    if (event !== 'firing' && event !== 'resolved') return null;
    const alerts = payload.get('alerts').list;
    const name = nameOf(payload);
    const heading = `${bold(event === 'firing' ? 'Firing' : 'Resolved')}: ${link(name, payload.get('externalURL'))}`;
    const more = payload.get('truncatedAlerts').number;
    return {
      topic: name,
      content:
        `${heading} (${counted(alerts.length + more, 'alert')})` +
        alertLines(alerts, ['dashboardURL', 'generatorURL'], valueOf),
    };
  },
};

function nameOf(payload: Payload): string {
  return payload
    .get('groupLabels', 'alertname')
    .textOr(payload.get('commonLabels', 'alertname').textOr(payload.get('title').text()));
}

/** Values that are said of one alert. */
const MAX_VALUES = 5;

function valueOf(alert: Payload): string {
  const values = alert.get('values').members.slice(0, MAX_VALUES);
  const said = values.map(([name, value]) => `${inline(name)} = ${inline(value.textOr('?'))}`);
  return said.length === 0 ? '' : ` [${said.join(', ')}]`;
}
