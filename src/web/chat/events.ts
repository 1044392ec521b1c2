import type { Event, Message, MessageEvent, User } from '../../client/index.js';
import type { Model } from './model.js';
import { notify } from './notify.js';
import { addressOf, conversationOf, isSameTopic } from './view.js';

/** Changes what is shown as an event says. */
export function apply(model: Model, event: Event): void {
  switch (event.type) {
    case 'message':
      addMessage(model, event);
      break;
    case 'update_message':
      for (const id of event.message_ids) {
        if ('rendered_content' in event && id === event.message_id) {
          const last_edit_timestamp = event.edit_timestamp;
          model.pages.change(id, () => ({ content: event.rendered_content, last_edit_timestamp }));
        }
      }
      if ('orig_subject' in event) moved(model);
      break;
    case 'delete_message': {
      const ids = 'message_ids' in event ? event.message_ids : [event.message_id];
      model.pages.remove(ids);
      model.unread.remove(ids);
      break;
    }
    case 'reaction':
      model.pages.change(event.message_id, ({ reactions }) => {
        const others = reactions.filter(
          (one) => one.user_id !== event.user_id || one.emoji_code !== event.emoji_code,
        );
        return { reactions: event.op === 'add' ? [...others, event] : others };
      });
      break;
    case 'submessage': {
      const { submessage_id: id, type: _type, ...one } = event;
      model.pages.change(event.message_id, ({ submessages }) => ({
        submessages: [...submessages.filter((known) => known.id !== id), { ...one, id }],
      }));
      break;
    }
    case 'update_message_flags':
      changeFlags(model, event);
      break;
    case 'typing': {
      const { sender } = event;
      if (sender.user_id === model.me.user_id) break;
      if (event.message_type === 'stream') {
        const { stream_id: channelId, topic } = event;
        model.typing.heard(
          { kind: 'channel', channelId, topic },
          sender.user_id,
          event.op === 'start',
        );
      } else {
        const userIds = event.recipients
          .map(({ user_id }) => user_id)
          .filter((id) => id !== model.me.user_id)
          .sort((a, b) => a - b);
        model.typing.heard({ kind: 'direct', userIds }, sender.user_id, event.op === 'start');
      }
      break;
    }
    case 'presence':
      if ('presences' in event) model.presences.update(event.presences);
      break;
    case 'subscription':
      if (event.op === 'add') {
        for (const one of event.subscriptions) model.channels.set(one.stream_id, one);
      } else if (event.op === 'remove') {
        for (const { stream_id } of event.subscriptions) model.channels.delete(stream_id);
      }
      break;
    case 'user_settings':
      model.settings = { ...model.settings, [event.property]: event.value };
      break;
    case 'realm_user':
      changeUser(model, event.op, event.person);
      break;
    default:
  }
}

function addMessage(
  model: Model,
  { message, flags, local_message_id: localId }: MessageEvent,
): void {
  const { user_id: me } = model.me;
  const whole: Message = { ...message, flags };
  model.pages.add(whole, me);
  if (localId !== undefined) model.outbox.drop(localId);
  const view = conversationOf(message, me);
  model.typing.heard(view, message.sender_id, false);
  if (!flags.includes('read')) {
    model.unread.addAll(view, [message.id]);
    if (document.visibilityState === 'hidden') model.markAway(view, message.id);
    notify(model, whole, view);
  }
  if (view.kind === 'direct') model.directs.set(addressOf(view), message.id);
  else if (view.kind === 'channel') {
    const topics = model.topics.get(view.channelId);
    const others = topics?.filter(({ name }) => !isSameTopic(name, message.subject));
    if (others) {
      model.topics.set(view.channelId, [{ name: message.subject, newest: message.id }, ...others]);
    }
  }
}

/** Which views lose and win messages, the server knows. */
function moved(model: Model): void {
  model.topics.clear();
  model.kept()();
}

function changeFlags(model: Model, event: Extract<Event, { type: 'update_message_flags' }>): void {
  const { flag, messages, op } = event;
  if (flag === 'read') {
    if (op === 'add') {
      if (event.all) model.unread.clear();
      else model.unread.remove(messages);
    } else {
      for (const [id, details] of Object.entries(event.message_details ?? {})) {
        const view =
          details.type === 'private'
            ? ({ kind: 'direct', userIds: details.user_ids } as const)
            : ({ kind: 'channel', channelId: details.stream_id, topic: details.topic } as const);
        model.unread.addAll(view, [Number(id)]);
      }
    }
  }
  for (const id of messages) {
    model.pages.change(id, (message) => {
      const others = message.flags.filter((one) => one !== flag);
      return { flags: op === 'add' ? [...others, flag] : others };
    });
  }
}

function changeUser(
  model: Model,
  op: string,
  person: Partial<User> & { readonly user_id: number },
): void {
  const known = model.users.get(person.user_id);
  if (op === 'add') model.users.set(person.user_id, person as User);
  else if (op === 'update' && known) model.users.set(person.user_id, { ...known, ...person });
  if (person.user_id === model.me.user_id) model.me = model.users.get(person.user_id)!;
}
