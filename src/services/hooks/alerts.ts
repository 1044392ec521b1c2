import type { Payload } from './payload.js';
import { bold, inline, link, listed } from './wording.js';

/**
 * The lines of alerts in the format that Alertmanager introduced and Grafana shares.
 * @param addresses names of the fields with addresses, the best first
 * @param detail what is said behind an alert
 */
export function alertLines(
  alerts: readonly Payload[],
  addresses: readonly string[],
  detail: (alert: Payload) => string = () => '',
): string {
  return listed(alerts, (alert) => {
    const state = alert.get('status').textOr('firing') === 'resolved' ? 'resolved' : 'firing';
    const address = addresses.map((name) => alert.get(name)).find((one) => one.isThere);
    const summary = summaryOf(alert);
    return `${bold(state)}: ${address ? link(summary, address) : inline(summary)}${detail(alert)}`;
  });
}

/** What an alert is about, as far as the author of its rule said. */
function summaryOf(alert: Payload): string {
  const annotations = alert.get('annotations');
  const name = alert.get('labels', 'alertname').textOr('alert');
  const said = annotations.get('summary').textOr(annotations.get('description').textOr(name));
  const place = alert.get('labels', 'instance').textOr('');
  return place === '' || said.includes(place) ? said : `${said} (${place})`;
}
