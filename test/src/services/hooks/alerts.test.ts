import t from 'tap';
import { alertmanager } from '../../../../src/services/hooks/alertmanager.js';
import { grafana } from '../../../../src/services/hooks/grafana.js';
import { told } from './told.js';

const ALERT = {
  status: 'firing',
  labels: { alertname: 'HighLoad', instance: 'db1:9100' },
  annotations: { summary: 'The load is high' },
  startsAt: '2026-01-31T10:00:00Z',
  generatorURL: 'http://prometheus.example/graph?g0=1',
};

void t.test('Alertmanager: a group of alerts', async (t) => {
  // After https://prometheus.io/docs/alerting/latest/configuration/#webhook_config
  const payload = {
    version: '4',
    status: 'firing',
    receiver: 'team',
    truncatedAlerts: 1,
    groupLabels: { job: 'db' },
    commonLabels: { alertname: 'HighLoad' },
    commonAnnotations: {},
    externalURL: 'http://alerts.example',
    alerts: [
      ALERT,
      { ...ALERT, status: 'resolved', labels: {}, annotations: {}, generatorURL: '' },
    ],
  };
  t.same(told(alertmanager, payload), [
    'HighLoad',
    '**Firing**: [HighLoad](http://alerts.example) (3 alerts)' +
      '\n* **firing**: [The load is high (db1:9100)](http://prometheus.example/graph?g0=1)' +
      '\n* **resolved**: alert',
  ]);
  t.match(told(alertmanager, { ...payload, commonLabels: {} }), ['db', String]);
  t.equal(told(alertmanager, { ...payload, status: 'silenced' }), null);
});

void t.test('Grafana: its alerts say values and dashboards', async (t) => {
  // After https://grafana.com/docs/grafana/latest/alerting/configure-notifications/…/webhook-notifier/
  const payload = {
    receiver: 'My Super Webhook',
    status: 'resolved',
    orgId: 1,
    alerts: [
      {
        ...ALERT,
        status: 'resolved',
        values: { B: 22, C: 1 },
        dashboardURL: 'https://play.grafana.org/d/1',
      },
    ],
    groupLabels: {},
    commonLabels: { team: 'blue' },
    externalURL: 'https://play.grafana.org/',
    title: '[RESOLVED] (blue)',
    truncatedAlerts: 0,
  };
  t.same(told(grafana, payload), [
    '[RESOLVED] (blue)',
    '**Resolved**: [[RESOLVED] (blue)](https://play.grafana.org/) (1 alert)' +
      '\n* **resolved**: [The load is high (db1:9100)](https://play.grafana.org/d/1) [B = 22, C = 1]',
  ]);
});
