import type { Event, Message, MessageEvent } from '../../client/index.js';
import type { Model } from './model.js';
import { notify } from './notify.js';
import { allowedOf } from './people/allowed.js';
import { addressOf, conversationOf, isSameTopic, type View } from './view.js';

/** Events that change single messages, or moments: every other one may change what rows show by ids. */
const OF_MESSAGES: ReadonlySet<Event['type']> = new Set([
  ...(['message', 'update_message', 'delete_message', 'reaction', 'submessage'] as const),
  ...(['update_message_flags', 'typing', 'presence', 'drafts'] as const),
]);

/** Changes what is shown as an event says. */
export function apply(model: Model, event: Event): void {
  if (!OF_MESSAGES.has(event.type)) model.facts += 1;
  switch (event.type) {
    case 'message':
      addMessage(model, event);
      break;
    case 'update_message':
      if (event.rendered_content !== undefined) {
        const { rendered_content: content, edit_timestamp: last_edit_timestamp } = event;
        model.pages.change(event.message_id, () => ({ content, last_edit_timestamp }));
      }
      if (event.orig_subject !== undefined) {
        const { stream_id, orig_subject, subject = orig_subject, message_ids } = event;
        const { new_stream_id = stream_id } = event;
        moved(model, { stream_id, orig_subject, subject, message_ids, new_stream_id });
      }
      break;
    case 'delete_message': {
      const ids = event.message_ids ?? [event.message_id];
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
        // What was written there before may now be read.
        model.topics.clear();
      } else if (event.op === 'remove') {
        for (const { stream_id } of event.subscriptions) model.leftChannel(stream_id);
      } else changeSubscription(model, event);
      break;
    case 'stream':
      changeChannels(model, event);
      break;
    case 'drafts':
      model.drafts.apply(event);
      break;
    case 'user_status':
      model.statuses.set(event.user_id, event);
      break;
    case 'user_topic':
      model.topics.setPolicy(event.stream_id, event.topic_name, event.visibility_policy);
      break;
    case 'muted_users':
      model.ignored = new Set(event.muted_users.map(({ id }) => id));
      break;
    case 'realm_emoji':
      if (event.op === 'update') model.emoji.start(event.realm_emoji);
      break;
    case 'user_settings':
      model.changeSettings({ ...model.settings, [event.property]: event.value });
      break;
    case 'realm':
      if (event.op === 'update' && event.property === 'name') model.realmName = event.value;
      if (event.op === 'update_dict') model.allowed = allowedOf(event.data, model.allowed);
      break;
    case 'realm_user':
      model.users.apply(event);
      model.me = model.users.get(model.me.user_id)!;
      break;
    default:
  }
}

function addMessage(
  model: Model,
  { message, flags, local_message_id: localId, notice }: MessageEvent,
): void {
  const { user_id: me } = model.me;
  const whole: Message = { ...message, flags };
  model.pages.add(whole, me);
  if (localId !== undefined) model.outbox.drop(localId);
  const view = conversationOf(message, me);
  model.typing.heard(view, message.sender_id, false);
  if (!flags.includes('read')) {
    model.unread.addAll(view, [message.id]);
    if (document.visibilityState === 'hidden') model.reading.markAway(view, message.id);
    if (notice !== undefined) notify(model, whole, view);
  }
  if (view.kind === 'direct') model.directs.set(addressOf(view), message.id);
  else if (view.kind === 'channel') {
    model.topics.heard(view.channelId, message.subject, message.id);
  }
}

interface Move {
  readonly stream_id: number;
  readonly new_stream_id: number;
  readonly orig_subject: string;
  readonly subject: string;
  readonly message_ids: readonly number[];
}

/** Which views lose and win messages, the server knows. Who reads a topic that moved as a whole goes with it. */
function moved(model: Model, move: Move): void {
  const { view, pages } = model;
  const ids = pages.of(view)?.ids ?? [];
  const isHere =
    view.kind === 'channel' &&
    view.channelId === move.stream_id &&
    view.topic !== undefined &&
    isSameTopic(view.topic, move.orig_subject) &&
    ids.every((id) => move.message_ids.includes(id));
  const to: View = { kind: 'channel', channelId: move.new_stream_id, topic: move.subject };
  const unread = move.message_ids.filter((id) => model.unread.has(id));
  model.unread.remove(unread);
  if (unread.length > 0) model.unread.addAll(to, unread);
  model.topics.clear();
  if (isHere) {
    model.drafts.move(view, to);
    pages.clear();
    history.replaceState(null, '', addressOf(to));
    model.open(to);
  } else model.kept()();
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

function changeSubscription(
  model: Model,
  event: Exclude<Extract<Event, { type: 'subscription' }>, { op: 'add' | 'remove' }>,
): void {
  if (event.op === 'update') {
    const known = model.channels.get(event.stream_id);
    if (known) model.channels.set(event.stream_id, { ...known, [event.property]: event.value });
    return;
  }
  const by = event.op === 'peer_add' ? event.user_ids.length : -event.user_ids.length;
  for (const id of event.stream_ids) {
    const known = model.channels.get(id);
    if (!known) continue;
    model.channels.set(id, { ...known, subscriber_count: known.subscriber_count + by });
  }
}

function changeChannels(model: Model, event: Extract<Event, { type: 'stream' }>): void {
  if (event.op === 'create') {
    for (const { stream_id, name } of event.streams) model.channelNames.set(stream_id, name);
  } else if (event.op === 'delete') {
    for (const id of event.stream_ids) {
      model.leftChannel(id);
      model.channelNames.delete(id);
    }
    // What is loaded of them is not for the reader any more.
    model.kept()();
  } else {
    const { stream_id, property, value } = event;
    const known = model.channels.get(stream_id);
    if (known) model.channels.set(stream_id, { ...known, [property]: value });
    if (property === 'name') model.channelNames.set(stream_id, value);
  }
}
