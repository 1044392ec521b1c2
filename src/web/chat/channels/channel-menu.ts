import { open } from '../later/open.js';
import type { Model } from '../model.js';
import type { Item } from '../parts/menu.js';
import { say } from '../say.js';
import { type View } from '../view.js';
import { leave } from './membership.js';
import { FOLLOWED, INHERIT, isResolved, MUTED, turnedName, type Policy } from './topics.js';

/** What is done to the conversation that is open. */
export function conversationItems(model: Model): Item[] {
  const { view } = model;
  const read: Item = {
    icon: 'check',
    label: say('channel.read-all'),
    onClick: () => model.reading.markAllRead(view),
  };
  if (view.kind === 'direct') {
    const [only, second] = view.userIds;
    return [
      ...(second === undefined
        ? [
            {
              icon: 'person',
              label: say('profile.title'),
              onClick: () => open('showProfile', model, only!),
            } as const,
          ]
        : []),
      {
        icon: 'plus',
        label: say('people.with-more'),
        onClick: () => open('showNewConversation', model, view.userIds),
      },
      read,
    ];
  }
  if (view.kind !== 'channel') return [];
  if (!model.channels.has(view.channelId)) return [read];
  return view.topic === undefined
    ? [...channelItems(model, view.channelId), read]
    : [...topicItems(model, view.channelId, view.topic), read];
}

function channelItems(model: Model, channelId: number): Item[] {
  const { is_muted, pin_to_top } = model.channels.get(channelId)!;
  const set = (property: 'is_muted' | 'pin_to_top', value: boolean): void => {
    const subscription_data = [{ stream_id: channelId, property, value }];
    const call = 'POST /users/me/subscriptions/properties';
    model.surface.attempt(model.client.call(call, { subscription_data }));
  };
  return [
    {
      icon: 'info',
      label: say('channel.details'),
      onClick: () => open('showDetails', model, channelId),
    },
    {
      icon: 'mute',
      label: say(is_muted ? 'channel.unmute' : 'channel.mute'),
      onClick: () => set('is_muted', !is_muted),
    },
    {
      icon: 'pin',
      label: say(pin_to_top ? 'channel.unpin' : 'channel.pin'),
      onClick: () => set('pin_to_top', !pin_to_top),
    },
    { icon: 'leave', label: say('channel.leave'), onClick: () => leave(model, channelId) },
  ];
}

function topicItems(model: Model, channelId: number, topic: string): Item[] {
  const policy = model.topics.policy(channelId, topic);
  const want = (wanted: Policy): void => {
    const visibility_policy = policy === wanted ? INHERIT : wanted;
    const params = { stream_id: channelId, topic, visibility_policy } as const;
    model.surface.attempt(model.client.call('POST /user_topics', params));
  };
  const isDone = isResolved(topic);
  const move = (): void => {
    const id = newestOf(model, { kind: 'channel', channelId, topic });
    if (id === undefined) return;
    open('showMove', model, { id, stream_id: channelId, subject: topic }, 'change_all');
  };
  return [
    {
      icon: 'check',
      label: say(isDone ? 'topic.unresolve' : 'topic.resolve'),
      onClick: () => turn(model, { kind: 'channel', channelId, topic }),
    },
    { icon: 'move', label: say('topic.move'), onClick: move },
    {
      icon: 'bell',
      label: say(policy === FOLLOWED ? 'topic.unfollow' : 'topic.follow'),
      onClick: () => want(FOLLOWED),
    },
    {
      icon: 'mute',
      label: say(policy === MUTED ? 'topic.unmute' : 'topic.mute'),
      onClick: () => want(MUTED),
    },
  ];
}

/** The newest message that is loaded of a topic; where there is none, the page says so. */
function newestOf({ pages, surface }: Model, view: View): number | undefined {
  const id = pages.of(view)?.ids.at(-1);
  if (id === undefined) surface.say(say('topic.no-message'));
  return id;
}

/** Marks a topic as resolved, or not any more. */
function turn(model: Model, view: Extract<View, { kind: 'channel' }>): void {
  const message_id = newestOf(model, view);
  if (message_id === undefined) return;
  const params = {
    message_id,
    topic: turnedName(view.topic!),
    propagate_mode: 'change_all',
    send_notification_to_old_thread: false,
  } as const;
  model.surface.attempt(model.client.call('PATCH /messages/{message_id}', params));
}
