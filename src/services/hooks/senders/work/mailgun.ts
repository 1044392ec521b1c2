import { sender } from '../../sender.js';
import { mailgunToken } from '../../signatures.js';

const TO = '{event-data.recipient:bold}<< (“{event-data.message.headers.subject}”)>>';
const WHY =
  '<<{event-data.delivery-status.message|event-data.delivery-status.description|event-data.reject.reason:quote}>>';

export const mailgun = sender({
  name: 'mailgun',
  displayName: 'Mailgun',
  docs: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads',
  event: '{event-data.event}',
  signature: mailgunToken,
  topic: "{event-data.domain.name|event-data.envelope.sender|'Mailgun'}",
  events: {
    failed: [
      {
        when: 'event-data.severity=temporary',
        text: `A mail to ${TO} could not be delivered, and will be tried again.${WHY}`,
      },
      { text: `A mail to ${TO} could not be delivered.${WHY}` },
    ],
    rejected: `A mail to ${TO} was not accepted.${WHY}`,
    complained: `{event-data.recipient:bold} called a mail spam<< (“{event-data.message.headers.subject}”)>>.`,
    unsubscribed: '{event-data.recipient:bold} unsubscribed.',
    delivered: `A mail to ${TO} was delivered.`,
  },
  quiet: ['accepted', 'opened', 'clicked', 'stored', 'list_*'],
});
