import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import { MAX_VISIBILITY_CHECKS, MAX_VISIBILITY_PAIRS } from '../../../schemas/limits.js';
import { tooManyPairs } from '../../errors/index.js';
import type { Audience } from '../../journal/entry.js';
import {
  canSeeChannel,
  channelAudience,
  seesUnsubscribed,
  without,
} from '../access/permissions.js';
import type { Organization } from '../state/organization.js';

/**
 * ChannelViewers says which of some users see a channel, at one moment. Channels with the same permissions share one
 * answer, except about users who subscribe: so there is a check for each user and permission, not for each channel.
 */
export class ChannelViewers {
  private readonly users: ReadonlySet<number>;
  private readonly byPermissions = new Map<string, ReadonlySet<number>>();
  private readonly keys = new PermissionKeys();

  constructor(
    private readonly org: Organization,
    private readonly userIds: readonly number[],
  ) {
    this.users = new Set(userIds);
  }

  /**
   * Active users among those who see the channel, in their order; the same set for channels whose answers are the same.
   */
  of(channel: ChannelDocument): ReadonlySet<number> {
    const { org } = this;
    if (this.userIds.length === 1)
      return new Set(this.userIds.filter((id) => this.sees(id, channel)));
    const { shared, more } = this.partsOf(channel);
    if (more.length === 0) return shared;
    const all = new Set([...shared, ...more]);
    return new Set(this.userIds.filter((id) => all.has(id) && org.users.active.has(id)));
  }

  /** Those who see it without subscribing, shared between channels, and the other ones. */
  partsOf(channel: ChannelDocument): { shared: ReadonlySet<number>; more: readonly number[] } {
    const shared = this.withoutSubscription(channel);
    const more = this.subscribers(channel).filter((id) => !shared.has(id));
    return { shared, more: more.filter((id) => this.sees(id, channel)) };
  }

  private sees(id: number, channel: ChannelDocument): boolean {
    const user = this.org.users.get(id);
    return user?.is_active === true && canSeeChannel(this.org, user, channel);
  }

  private subscribers({ stream_id }: ChannelDocument): number[] {
    const { subscriptions } = this.org;
    if (subscriptions.subscriberCount(stream_id) <= this.userIds.length) {
      return subscriptions.subscribers(stream_id).filter((id) => this.users.has(id));
    }
    return this.userIds.filter((id) => subscriptions.isSubscribed(id, stream_id));
  }

  private withoutSubscription(channel: ChannelDocument): ReadonlySet<number> {
    const key = this.keys.of(channel);
    let seeing = this.byPermissions.get(key);
    if (!seeing) {
      const { org } = this;
      seeing = new Set(
        this.userIds.filter((id) => {
          const user = org.users.get(id);
          return user?.is_active && seesUnsubscribed(org, user, channel);
        }),
      );
      this.byPermissions.set(key, seeing);
    }
    return seeing;
  }
}

/** So few subscribers are most often those of other channels, too. */
const FEW = 16;

/**
 * ChannelAudiences has the users who may see channels, as `channelAudience`, at one moment: private channels with the
 * same permissions and the same few subscribers share an audience.
 */
export class ChannelAudiences {
  private readonly viewers: ChannelViewers;
  private readonly shared = new Map<ReadonlySet<number>, Map<string, Audience>>();

  constructor(private readonly org: Organization) {
    this.viewers = new ChannelViewers(
      org,
      [...org.users.active].sort((a, b) => a - b),
    );
  }

  /** @param except users who are not in it */
  of(channel: ChannelDocument, except: readonly number[] = []): Audience {
    if (!channel.invite_only || channel.is_web_public) {
      return without(channelAudience(this.org, channel), except);
    }
    const { shared, more } = this.viewers.partsOf(channel);
    const gone = new Set(except);
    const rest = more.filter((id) => !gone.has(id));
    const make = (): Audience => {
      const seeing = [...shared].filter((id) => !gone.has(id));
      const users = rest.length > 0 ? seeing.concat(rest).sort((a, b) => a - b) : seeing;
      return { to: 'users', users };
    };
    if (rest.length > FEW) return make();
    let known = this.shared.get(shared);
    if (!known) {
      known = new Map<string, Audience>();
      this.shared.set(shared, known);
    }
    const key = `${rest.join()};${except.join()}`;
    const audience = known.get(key) ?? make();
    known.set(key, audience);
    return audience;
  }
}

/**
 * Bounds a change of who sees channels, in one transaction.
 * @param gains whether users may gain channels: then they get the subscribers of each
 * @throws ApiError when there are too many users for the distinct permissions of the channels, or for the channels
 */
export function requireFewPairs(
  userIds: readonly number[],
  channels: readonly ChannelDocument[],
  gains: boolean,
): void {
  const refused = (most: number): Error => tooManyPairs(['members', 'private channels'], most);
  if (gains && userIds.length * channels.length > MAX_VISIBILITY_PAIRS) {
    throw refused(MAX_VISIBILITY_PAIRS);
  }
  if (userIds.length * channels.length <= MAX_VISIBILITY_CHECKS) return;
  if (userIds.length * distinctPermissions(channels) > MAX_VISIBILITY_CHECKS) {
    throw refused(MAX_VISIBILITY_CHECKS);
  }
}

/** Number of distinct permissions of some channels. */
export function distinctPermissions(channels: readonly ChannelDocument[]): number {
  const keys = new PermissionKeys();
  return new Set(channels.map((channel) => keys.of(channel))).size;
}

/** PermissionKeys makes texts that are the same for channels that the same users see without subscribing. */
class PermissionKeys {
  /** Numbers of values that are no group, by the values and by what they contain. */
  private readonly values = new Map<object, number>();
  private readonly contents = new Map<string, number>();

  of(channel: ChannelDocument): string {
    if (channel.is_web_public) return 'web-public';
    if (!channel.invite_only) return 'public';
    const values = [
      channel.can_add_subscribers_group,
      channel.can_subscribe_group,
      channel.can_administer_channel_group,
    ];
    return values.map((value) => this.numberOf(value)).join();
  }

  private numberOf(value: GroupSettingValue): string {
    if (typeof value === 'number') return String(value);
    let number = this.values.get(value);
    if (number === undefined) {
      const content = `${value.direct_members.join()};${value.direct_subgroups.join()}`;
      number = this.contents.get(content) ?? this.contents.size;
      this.contents.set(content, number);
      this.values.set(value, number);
    }
    return `v${number}`;
  }
}
