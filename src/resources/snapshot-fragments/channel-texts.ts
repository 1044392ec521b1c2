import type { ChannelDocument, ChannelObject } from '../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../schemas/channels/subscriptions.js';
import {
  asSubscription,
  type InheritedNotifications,
} from '../../journal/renderers/subscription.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  channelFacts,
  channelView,
  type ChannelFacts,
} from '../../organization/views/channel-view.js';
import { personalKey } from '../../organization/views/subscription-view.js';

interface ChannelText {
  /** Documents never change: a channel that changes gets another one. */
  readonly channel: ChannelDocument;
  readonly facts: ChannelFacts;
  readonly text: string;
  /** When the facts were last compared. */
  moment: object;
}

/** By id of the channel, a kilobyte each: channels are archived, and never deleted. */
const caches = new WeakMap<Organization, Map<number, ChannelText>>();

function textsOf(org: Organization): Map<number, ChannelText> {
  let texts = caches.get(org);
  if (!texts) caches.set(org, (texts = new Map<number, ChannelText>()));
  return texts;
}

/**
 * The members of a channel object as JSON, encoded again when one of them has changed.
 * @param moment nothing changes between two calls with the same object
 */
export function channelText(org: Organization, channel: ChannelDocument, moment: object): string {
  const texts = textsOf(org);
  const known = texts.get(channel.stream_id);
  if (known?.moment === moment) return known.text;
  const facts = channelFacts(org, channel);
  if (known?.channel === channel && areEqual(known.facts, facts)) {
    known.moment = moment;
    return known.text;
  }
  const text = membersOf(channelView(org, channel));
  texts.set(channel.stream_id, { channel, facts, text, moment });
  return text;
}

function areEqual(a: ChannelFacts, b: ChannelFacts): boolean {
  return (
    a.subscribers === b.subscribers &&
    a.first === b.first &&
    a.isActive === b.isActive &&
    a.traffic === b.traffic &&
    a.policy === b.policy
  );
}

/** The members that a user's own settings add, as JSON after a comma; those with equal settings share a text. */
export function personalTexts(
  inherited: InheritedNotifications | null,
): (sub: SubscriptionDocument) => string {
  const known = new Map<string, string>();
  return (sub) => {
    const key = personalKey(sub);
    let text = known.get(key);
    if (text === undefined) {
      const members = asSubscription({} as ChannelObject, sub, inherited);
      known.set(key, (text = `,${membersOf(members)}`));
    }
    return text;
  };
}

function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1);
}
