/** Who is in which channel of a Mattermost export, and what each has chosen and seen there. */
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { addSubscription, type SubscriptionChoices } from '../people.js';
import { listIn, membersIn, part, text, textsIn, type MattermostFile } from './mattermost-file.js';

/** Numbers here by names there. */
interface Numbers {
  readonly users: ReadonlyMap<string, number>;
  /** By team and name. */
  readonly channels: ReadonlyMap<string, number>;
  /** By the names of their people. */
  readonly conversations: ReadonlyMap<string, number>;
}

/** Subscribes people, also those who were deactivated: whoever comes back is in their channels. */
export function addMemberships(
  tx: Transaction,
  file: MattermostFile,
  { users, channels }: Numbers,
  omissions: Omissions,
): void {
  const { subscriptions } = tx.org;
  for (const row of file.rows('user')) {
    const name = text(row, 'username');
    const userId = users.get(name)!;
    for (const team of listIn(row, 'teams')) {
      if (text(team, 'roles').includes('team_admin')) {
        omissions.add('administrators of teams, who are members here', name);
      }
      for (const one of listIn(team, 'channels')) {
        const number = channels.get(`${text(team, 'name')}/${text(one, 'name')}`);
        if (number === undefined) {
          omissions.add('memberships of channels that are missing', text(one, 'name'));
        } else if (!subscriptions.of(userId, number)) {
          addSubscription(tx, userId, number, true, choicesOf(one));
          if (text(one, 'roles').includes('channel_admin')) addAdministrator(tx, number, userId);
        }
      }
    }
  }
  for (const row of file.rows('direct_channel')) {
    const place = membersIn(row).join();
    const favourites = textsIn(row, 'favorited_by').length;
    if (favourites > 0) {
      omissions.add('favourites among conversations, which are not marked here', place, favourites);
    }
    if (text(row, 'header') !== '') {
      omissions.add('headers of conversations, which have none here', place);
    }
  }
}

/** `default` is as everywhere; `mention` only for what concerns somebody; `none` for nothing. */
function choicesOf(row: JsonRow): SubscriptionChoices {
  const notify = part(row, 'notify_props');
  return {
    pin_to_top: row['favorite'] === true,
    is_muted: text(notify, 'mark_unread') === 'mention',
    desktop_notifications: NOTIFIED[text(notify, 'desktop')] ?? null,
    push_notifications: NOTIFIED[text(notify, 'mobile')] ?? null,
  };
}

/** Whether all messages of a channel notify; `mention` is what others do without a choice, too. */
const NOTIFIED: Readonly<Record<string, boolean>> = { all: true, none: false, mention: false };

/** Somebody of a conversation with the time to which they have seen it, milliseconds since 1970. */
export interface Viewer {
  readonly userId: number;
  readonly seen: number;
}

/** Who has seen what, by the number behind a channel or conversation; older exports do not say, so all of it is read. */
export function viewersIn(
  file: MattermostFile,
  { users, channels, conversations }: Numbers,
): ReadonlyMap<number, readonly Viewer[]> {
  const viewers = new Map<number, Viewer[]>();
  const note = (name: string, place: number | undefined, row: JsonRow): void => {
    const userId = users.get(name);
    const seen = row['last_viewed_at'];
    if (userId === undefined || place === undefined || typeof seen !== 'number') return;
    viewers.set(place, [...(viewers.get(place) ?? []), { userId, seen }]);
  };
  for (const row of file.rows('user')) {
    for (const team of listIn(row, 'teams')) {
      for (const one of listIn(team, 'channels')) {
        const place = channels.get(`${text(team, 'name')}/${text(one, 'name')}`);
        note(text(row, 'username'), place, one);
      }
    }
  }
  for (const row of file.rows('direct_channel')) {
    const place = conversations.get(membersIn(row).sort().join());
    for (const one of listIn(row, 'participants')) note(text(one, 'username'), place, one);
  }
  return viewers;
}

function addAdministrator({ org }: Transaction, streamId: number, userId: number): void {
  const current = org.channels.get(streamId)!.can_administer_channel_group;
  const members = typeof current === 'number' ? [] : current.direct_members;
  const direct_members = [...members, userId].sort((a, b) => a - b);
  org.channels.update(streamId, {
    can_administer_channel_group: { direct_members, direct_subgroups: [] },
  });
}
