import { sender } from '../../sender.js';

export const librato = sender({
  name: 'librato',
  displayName: 'Librato',
  docs: 'https://www.librato.com/docs/kb/alert/integrations/webhook/',
  event: '<<{alert.id:=alert}>>',
  topic: '{alert.name}',
  events: {
    alert: [
      { when: 'clear', text: 'Alert {alert.name:bold} has **cleared** ({clear}).' },
      {
        text: 'Alert {alert.name:bold} has **triggered**<<: {alert.description}>>.<<\n[Runbook](alert.runbook_url)>>',
        each: [
          'conditions',
          '{summary_function} {type:@type}<< {threshold}>><< for {duration} s>>',
        ],
      },
    ],
  },
  words: { type: { above: 'above', below: 'below', absent: 'is missing' } },
});
