/** Recipients of messages in a Zulip export: channels, conversations, and each person. */
import { createHash } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Tables } from './tables.js';

/** Kinds of recipients. */
const PERSON = 1;
const GROUP = 3;

/** What a subscriber of a conversation has chosen: nothing. */
const DEFAULT_CHOICES = {
  color: '#c2c2c2',
  is_muted: false,
  pin_to_top: false,
  desktop_notifications: null,
  audible_notifications: null,
  push_notifications: null,
  email_notifications: null,
  wildcard_mentions_notify: null,
};

/** Adds recipients with who is subscribed to them. */
export class Recipients {
  private last: number;
  private readonly persons = new Map<number, number>();
  private readonly added = new Map<string, number>();

  constructor(
    private readonly org: Organization,
    private readonly tables: Tables,
  ) {
    const used = [...org.channels.values(), ...org.conversations.values()];
    this.last = used.reduce((most, { recipient_id }) => Math.max(most, recipient_id), 0);
    for (const { recipient_id, user_ids } of org.conversations.values()) {
      this.addGroup(recipient_id, user_ids);
    }
  }

  /** The recipient that each person is. */
  person(user: UserDocument): number {
    const { user_id } = user;
    const known = this.persons.get(user_id);
    if (known !== undefined) return known;
    const id = this.next();
    this.persons.set(user_id, id);
    this.tables.add('zerver_recipient', { id, type: PERSON, type_id: user_id });
    if (!user.is_system_bot) this.subscribe(user, id, { active: true });
    return id;
  }

  /** The conversation of some people; one that waits for its first message is added. */
  between(userIds: readonly number[]): number {
    const people = [...new Set(userIds)].sort((a, b) => a - b);
    const known =
      this.org.conversations.between(people)?.recipient_id ?? this.added.get(people.join());
    if (known !== undefined) return known;
    const id = this.next();
    this.added.set(people.join(), id);
    this.addGroup(id, people);
    return id;
  }

  subscribe(user: UserDocument, recipient: number, said: Readonly<Record<string, unknown>>): void {
    const { user_id, is_active } = user;
    const row = { user_profile: user_id, recipient, is_user_active: is_active };
    this.tables.add('zerver_subscription', { ...DEFAULT_CHOICES, ...row, ...said });
  }

  /** Its own table has a number of its own there, which nobody sees. */
  private addGroup(id: number, userIds: readonly number[]): void {
    const { tables } = this;
    tables.add('zerver_recipient', { id, type: GROUP, type_id: id });
    const huddle_hash = createHash('sha1').update(userIds.join(',')).digest('hex');
    tables.add('zerver_huddle', { id, huddle_hash, recipient: id, group_size: userIds.length });
    for (const userId of userIds) {
      const user = this.org.users.get(userId);
      if (user) this.subscribe(user, id, { active: true });
    }
  }

  private next(): number {
    this.last += 1;
    return this.last;
  }
}
