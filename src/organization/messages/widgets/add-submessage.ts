import type { MessageDocument, SubmessageDocument } from '../../../../schemas/messages/message.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { MAX_SUBMESSAGES, MAX_SUBMESSAGES_LENGTH } from '../../../../schemas/limits.js';
import { badRequest } from '../../../errors/index.js';
import { withFloats } from '../../../services/text/json-text.js';
import type { Transaction } from '../../state/transaction.js';
import { followByAction } from '../../topics/topic-policy.js';
import { holderAudiences } from '../holder-audiences.js';
import { Poll } from './poll.js';
import { TodoList } from './todo-list.js';
import type { Widget } from './widget.js';
import type { WidgetContent } from './widget-content.js';

/**
 * Does something with the poll or to-do list of a message that the user may see, given its current document
 * (endpoints-flags.md#submessages): keeps what was done, and tells those who have the message. What changes nothing,
 * such as the same vote again, is neither kept nor told. It counts as participation in the topic.
 * @throws ApiError
 */
export function addSubmessage(
  tx: Transaction,
  user: UserDocument,
  message: MessageDocument,
  content: string,
): void {
  const { org } = tx;
  const before = message.submessages ?? [];
  const widget = widgetAfter(before);
  if (!widget) throw badRequest('You cannot attach a submessage to this message.');
  const { user_id: sender_id } = user;
  const author = { id: sender_id, isAuthor: sender_id === message.sender_id };
  if (!widget.act(author, parsed(content))) return;
  const added = { id: org.counters.next('submessage'), sender_id, content };
  const submessages = bounded([...before, added], widget);
  const channel = message.stream_id === null ? undefined : org.channels.get(message.stream_id);
  if (channel) followByAction(tx, user, channel, message.topic, 'participates');
  const changed = org.messages.update(message, { submessages }, tx.seq);
  const involved = new Set([sender_id, ...before.map((one) => one.sender_id)]);
  for (const audience of holderAudiences(org, changed, involved)) {
    tx.emit('submessage', audience, {
      message_id: message.id,
      submessage_id: added.id,
      sender_id,
      msg_type: 'widget',
      content,
    });
  }
}

/** The poll or to-do list after what was done so far; undefined for messages without one. */
function widgetAfter([first, ...rest]: readonly SubmessageDocument[]): Widget | undefined {
  const widget = first && started(JSON.parse(first.content) as WidgetContent);
  if (!widget) return undefined;
  for (const { sender_id, content } of rest) widget.replay(sender_id, JSON.parse(content));
  return widget;
}

function started(content: WidgetContent): Widget | undefined {
  if (content.widget_type === 'poll') return new Poll(content.extra_data);
  if (content.widget_type === 'todo') return new TodoList(content.extra_data);
  return undefined;
}

/** What a client says, whose floats are no integers. @throws ApiError for what is no JSON */
function parsed(content: string): unknown {
  try {
    return withFloats(content, JSON.parse(content));
  } catch {
    throw badRequest('Invalid json for submessage');
  }
}

/**
 * The submessages, without those that have no effect any more where there would be too many: so nobody uses up the room
 * by changing their mind.
 * @throws ApiError where all have an effect
 */
function bounded(submessages: readonly SubmessageDocument[], widget: Widget): SubmessageDocument[] {
  if (fits(submessages)) return [...submessages];
  const [first, ...actions] = submessages as [SubmessageDocument, ...SubmessageDocument[]];
  const effective = [first, ...widget.effective(actions)];
  if (!fits(effective)) {
    throw badRequest(`A widget can have at most ${MAX_SUBMESSAGES} actions.`);
  }
  return effective;
}

function fits(submessages: readonly SubmessageDocument[]): boolean {
  if (submessages.length > MAX_SUBMESSAGES) return false;
  const length = submessages.reduce((sum, { content }) => sum + content.length, 0);
  return length <= MAX_SUBMESSAGES_LENGTH;
}
