import { sender } from '../../sender.js';

const TICKET = 'ticket #{detail.id} {detail.subject:bold}';

/** Event subscriptions, and the forms that a trigger is told to send, whose text an agent wrote. */
export const zendesk = sender({
  name: 'zendesk',
  displayName: 'Zendesk',
  docs: 'https://developer.zendesk.com/api-reference/webhooks/event-types/ticket-events/',
  event: "{type|'ticket':kind}",
  topic: "{topic|'Zendesk'}",
  events: {
    ticket: [
      {
        when: 'message',
        topic: "{topic|ticket_title|'Zendesk'}",
        text: '{message:markdown}',
      },
      {
        topic: '#{ticket_id}: {ticket_title}',
        text:
          "Ticket [#{ticket_id} {ticket_title}](link|ticket_url): {ticket_status|'changed':bold}." +
          '<<\n* Priority: {ticket_priority}>><<\n* Requester: {requester_full_name}>><<\n* Assignee: {assignee_full_name}>>' +
          '<<{ticket_description:quote}>>',
      },
    ],
    ...Object.fromEntries(
      Object.entries({
        'ticket.created': `New ${TICKET}.<<\n* Priority: {detail.priority:lower}>><<\n* Status: {detail.status:lower}>><<{detail.description:quote}>>`,
        'ticket.status_changed': `The status of ${TICKET} is now {event.current:lower:bold}<< (was {event.previous:lower})>>.`,
        'ticket.priority_changed': `The priority of ${TICKET} is now {event.current:lower:bold}<< (was {event.previous:lower})>>.`,
        'ticket.comment_added': `New comment on ${TICKET}:<<{event.comment.body:quote}>>`,
        'ticket.agent_assignment_changed': `The assignee of ${TICKET} changed.`,
      }).map(([kind, text]) => [kind, { topic: '#{detail.id}: {detail.subject}', text }]),
    ),
  },
});
