import { alertLines } from './alerts.js';
import type { Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bold, counted, link } from './wording.js';

export const alertmanager: Integration = {
  name: 'alertmanager',
  displayName: 'Prometheus Alertmanager',
  docs: 'https://prometheus.io/docs/alerting/latest/configuration/#webhook_config',
  events: ['firing', 'resolved'],
  eventOf: ({ payload }) => payload.get('status').text(),
  message: (event, payload) => {
    if (event !== 'firing' && event !== 'resolved') return null;
    const alerts = payload.get('alerts').list;
    const name = nameOf(payload);
    const count = alerts.length + payload.get('truncatedAlerts').number;
    return {
      topic: name,
      content:
        `${bold(event === 'firing' ? 'Firing' : 'Resolved')}: ` +
        `${link(name, payload.get('externalURL'))} (${counted(count, 'alert')})` +
        alertLines(alerts, ['generatorURL']),
    };
  },
};

/** Name of the group: by the labels it was made by, or what all its alerts share. */
function nameOf(payload: Payload): string {
  const name = payload.get('commonLabels', 'alertname').textOr('');
  if (name !== '') return name;
  const labels = payload.get('groupLabels').members.map(([, value]) => value.textOr(''));
  return labels.filter((label) => label !== '').join(', ') || payload.get('receiver').text();
}
