import { sender } from '../../sender.js';
import { bodyHmacSha1 } from '../../signatures.js';

const WHO = "{data.item.user.name|data.item.user.email|data.item.name|data.item.email|'Somebody'}";
const CONVERSATION = '[conversation](data.item.links.conversation_web)';
const SAID =
  '<<{data.item.conversation_parts.conversation_parts.0.body|data.item.conversation_message.body:html:quote}>>';
const ADMIN =
  "{data.item.conversation_parts.conversation_parts.0.author.name|data.item.assignee.name|'Somebody'}";

export const intercom = sender({
  name: 'intercom',
  displayName: 'Intercom',
  docs: 'https://developers.intercom.com/docs/references/webhooks/webhook-models',
  event: '{topic}',
  signature: bodyHmacSha1('x-hub-signature', 'sha1='),
  topic: `${WHO}`,
  events: {
    ping: { topic: 'Intercom', text: 'The webhook of Intercom works.' },
    'conversation.user.created': `${WHO} began a ${CONVERSATION}:${SAID}`,
    'conversation.user.replied': `${WHO} replied in a ${CONVERSATION}:${SAID}`,
    'conversation.admin.replied, conversation.admin.single.created': `${ADMIN} wrote in a ${CONVERSATION} with ${WHO}:${SAID}`,
    'conversation.admin.noted': `${ADMIN} added a note to a ${CONVERSATION} with ${WHO}:${SAID}`,
    'conversation.admin.assigned': `The ${CONVERSATION} with ${WHO} was assigned to {data.item.assignee.name|'nobody':bold}.`,
    'conversation.admin.opened': `${ADMIN} reopened the ${CONVERSATION} with ${WHO}.`,
    'conversation.admin.closed': `${ADMIN} closed the ${CONVERSATION} with ${WHO}.`,
    'conversation.admin.snoozed': `${ADMIN} snoozed the ${CONVERSATION} with ${WHO}.`,
    'contact.created, contact.user.created, contact.lead.created, user.created': `${WHO} is a new contact.`,
    'contact.signed_up': `${WHO} signed up.`,
    'contact.deleted, user.deleted': `${WHO} was deleted.`,
    'contact.unsubscribed, user.unsubscribed': `${WHO} unsubscribed from e-mails.`,
  },
  quiet: [
    'conversation.read',
    'conversation.admin.unsnoozed',
    'admin.*',
    'event.created',
    'contact.*',
    'company.*',
    'user.*',
  ],
});
