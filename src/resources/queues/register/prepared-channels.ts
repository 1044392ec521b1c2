import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import {
  listedSubscribers,
  type IncludeSubscribers,
} from '../../../journal/renderers/subscription.js';
import { canSeeSubscribers } from '../../../organization/access/permissions.js';
import {
  CHANNEL_LISTS,
  channelsSeen,
  listOf,
} from '../../../organization/channels/channel-snapshot.js';
import type { Organization } from '../../../organization/state/organization.js';
import {
  allAtOnce,
  inTurns,
  SnapshotMoment,
  type Pause,
  type PreparedPart,
} from '../../../organization/state/snapshot-moment.js';
import {
  inheritedNotifications,
  subscriberLists,
} from '../../../organization/views/subscription-view.js';
import { channelText, personalTexts } from '../../snapshot-fragments/channel-texts.js';
import type { SnapshotFragments, TextSource } from '../../snapshot-fragments/fragment-cache.js';
import { subscriberText, type SubscriberText } from '../../snapshot-fragments/fragment-sources.js';
import type { JsonParts } from '../../snapshot-fragments/json-parts.js';

/** A channel as the snapshot shows it. */
interface Row {
  readonly channel: ChannelDocument;
  readonly own: SubscriptionDocument | undefined;
  /** Changes of the subscriptions to the channel, when it was made. */
  readonly changes: number;
  /** The members of the channel object. */
  readonly members: string;
  /** Further members in a list of subscriptions, as far as they are not `listed`. */
  readonly more: string;
  /** Its subscribers, where they are a cached text. */
  readonly listed: SubscriberText | null;
}

interface Rows {
  /** By name. */
  readonly seen: readonly Row[];
  readonly lists: Readonly<Record<(typeof CHANNEL_LISTS)[number], readonly Row[]>>;
}

/** What decides how the channels are shown. */
interface ChannelOptions {
  readonly include_subscribers: IncludeSubscribers;
  readonly client_capabilities: {
    readonly archived_channels?: boolean;
    readonly notification_settings_null?: boolean;
  };
}

/**
 * PreparedChannels makes the sections `subscription` and `stream` in stretches before the transaction that shows them,
 * which encodes again what has changed meanwhile and joins texts: there may be ten thousand channels.
 */
export class PreparedChannels implements PreparedPart {
  private made: { readonly moment: SnapshotMoment; readonly rows: Rows } | null = null;

  constructor(
    private readonly org: Organization,
    private readonly userId: number,
    private readonly options: ChannelOptions,
  ) {}

  get isReady(): boolean {
    return this.made?.moment.isPresent ?? false;
  }

  async prepare(pause: Pause): Promise<void> {
    const { org, userId } = this;
    const moment = new SnapshotMoment(org, userId);
    const maker = new RowMaker(org, org.users.get(userId)!, this.options, null);
    const rows = await inTurns(maker.rows(), moment, pause);
    if (rows) this.made = { moment, rows };
  }

  /** The lists of subscribers that are cached texts. */
  sources(): TextSource[] {
    return (this.made?.rows.seen ?? []).flatMap(({ listed }) => (listed ? [listed.source] : []));
  }

  /** Writes the lists of subscriptions. */
  writeSubscriptions(user: UserDocument, texts: SnapshotFragments, out: JsonParts): void {
    const { lists, present } = this.present(user);
    for (const name of CHANNEL_LISTS) {
      out.text(`,"${name}":[`);
      let comma = '';
      for (const row of lists[name]) {
        const { members, more, listed } = present(row);
        out.text(`${comma}{${members}${more}`);
        if (listed) {
          out.text(`,"${listed.field}":[`);
          out.ranges(texts, listed.source, this.org.users.ranges);
          out.text(']');
        }
        out.text('}');
        comma = ',';
      }
      out.text(']');
    }
  }

  /** Writes the list of all channels. */
  writeChannels(user: UserDocument, out: JsonParts): void {
    const { seen, present } = this.present(user);
    out.text(',"streams":[');
    let comma = '';
    for (const row of seen) {
      out.text(`${comma}{${present(row).members}}`);
      comma = ',';
    }
    out.text(']');
  }

  /** What was made, and how each row is now; all of it anew where too much has changed. */
  private present(user: UserDocument): Rows & { readonly present: (row: Row) => Row } {
    const { org } = this;
    const maker = new RowMaker(org, user, this.options, {});
    if (!this.isReady) {
      const moment = new SnapshotMoment(org, user.user_id);
      this.made = { moment, rows: allAtOnce(maker.rows()) };
    }
    const { moment, rows } = this.made!;
    const { index } = org.messages;
    const active = new Set(moment.newer().map((id) => index.topicOf(id)?.recipientId));
    const present = (row: Row): Row => {
      const { channel, own, changes } = row;
      const isSame =
        changes === org.subscriptions.toEach.of(channel.stream_id) &&
        !active.has(channel.recipient_id);
      return isSame ? row : maker.row(channel, own);
    };
    return { ...rows, present };
  }
}

/** Makes rows for one user. */
class RowMaker {
  private readonly personal: (sub: SubscriptionDocument) => string;

  constructor(
    private readonly org: Organization,
    private readonly user: UserDocument,
    private readonly options: ChannelOptions,
    /** The same for all rows where nothing changes between them. */
    private readonly moment: object | null,
  ) {
    const { notification_settings_null = false } = options.client_capabilities;
    this.personal = personalTexts(
      notification_settings_null ? null : inheritedNotifications(org, user.user_id),
    );
  }

  /** All rows, in steps. */
  *rows(): Generator<void, Rows> {
    const { org, user } = this;
    const archived = this.options.client_capabilities.archived_channels ?? false;
    const seen: Row[] = [];
    const lists: Record<(typeof CHANNEL_LISTS)[number], Row[]> = {
      subscriptions: [],
      unsubscribed: [],
      never_subscribed: [],
    };
    for (const channel of yield* channelsSeen(org, user, archived)) {
      const sub = org.subscriptions.of(user.user_id, channel.stream_id);
      const name = listOf(sub, archived);
      const row = this.row(channel, name === 'never_subscribed' ? undefined : sub);
      seen.push(row);
      lists[name].push(row);
      yield;
    }
    return { seen, lists };
  }

  row(channel: ChannelDocument, own: SubscriptionDocument | undefined): Row {
    const { org } = this;
    const { stream_id: streamId } = channel;
    const listed = this.listed(channel);
    return {
      channel,
      own,
      changes: org.subscriptions.toEach.of(streamId),
      members: channelText(org, channel, this.moment ?? {}),
      more: `${own ? this.personal(own) : ''}${listed ? '' : this.subscribers(channel)}`,
      listed,
    };
  }

  private listed(channel: ChannelDocument): SubscriberText | null {
    const { org, user } = this;
    const include = this.options.include_subscribers;
    if (include === false || !canSeeSubscribers(org, user, channel)) return null;
    return subscriberText(org, channel.stream_id, include);
  }

  /** The members that list subscribers, each after a comma. */
  private subscribers(channel: ChannelDocument): string {
    const { org, user } = this;
    const include = this.options.include_subscribers;
    if (include === false) return '';
    const lists = canSeeSubscribers(org, user, channel)
      ? subscriberLists(org, channel.stream_id)
      : { subscribers: [], partial: null };
    return `,${JSON.stringify(listedSubscribers(lists, include)).slice(1, -1)}`;
  }
}
