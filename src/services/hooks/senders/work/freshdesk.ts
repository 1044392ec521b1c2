import { sender } from '../../sender.js';

const TICKET =
  'ticket [#{freshdesk_webhook.ticket_id} {freshdesk_webhook.ticket_subject}](freshdesk_webhook.ticket_url)';
const WHO = '{freshdesk_webhook.requester_name} ({freshdesk_webhook.requester_email})';

export const freshdesk = sender({
  name: 'freshdesk',
  displayName: 'Freshdesk',
  docs: 'https://support.freshdesk.com/support/solutions/articles/132589',
  event: '{freshdesk_webhook.triggered_event:word}',
  topic: '#{freshdesk_webhook.ticket_id}: {freshdesk_webhook.ticket_subject}',
  events: {
    ticket_action:
      `${WHO} opened ${TICKET}.` +
      '<<\n* Type: {freshdesk_webhook.ticket_type}>><<\n* Priority: {freshdesk_webhook.ticket_priority}>>' +
      '<<\n* Status: {freshdesk_webhook.ticket_status}>><<{freshdesk_webhook.ticket_description:html:quote}>>',
    status: `The status of ${TICKET} is now {freshdesk_webhook.ticket_status:bold}.`,
    priority: `The priority of ${TICKET} is now {freshdesk_webhook.ticket_priority:bold}.`,
    note_type: `A note was added to ${TICKET}.`,
  },
});
