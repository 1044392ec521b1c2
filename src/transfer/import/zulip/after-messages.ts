/** What refers to messages of a Zulip export and comes after them: reactions, and what people have read. */
import type { MessageDocument, ReactionDocument } from '../../../../schemas/messages/message.js';
import type { Static } from 'typebox';
import type { Organization } from '../../../organization/state/organization.js';
import { emojiNames, standardCode } from '../../../services/text/emoji.js';
import type { Document, Store, Write } from '../../../store/port.js';
import type { ImportTarget } from '../import-target.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import { type Omissions, set } from '../import-job.js';
import type { ZulipMessages } from './messages.js';
import { integer, textIn } from './realm-file.js';
import { noteFields } from './zulip-fields.js';

type Reaction = Static<typeof ReactionDocument>;

/** Reactions whose messages are read and written together. */
const TOGETHER = 5000;

interface AfterParts {
  readonly target: ImportTarget;
  readonly store: Store;
  readonly omissions: Omissions;
}

/** Adds reactions, wherever the export has them. To be repeated, it adds none twice. @returns how many */
export async function takeReactions(parts: AfterParts, files: readonly string[]): Promise<number> {
  const { target, omissions } = parts;
  let count = 0;
  let waiting = new Map<number, Reaction[]>();
  let waits = 0;
  for (const file of files) {
    for await (const { table, row } of rowsOf(file)) {
      if (table !== 'zerver_reaction') continue;
      const reaction = reactionOf(row);
      const message = integer(row, 'message');
      const others = waiting.get(message) ?? [];
      // Those of files of messages were looked at with these.
      if (file === files[0]) noteFields(table, row, omissions);
      // Each is added below, or noted.
      if (!mayStay(target.org, reaction)) {
        omissions.add('reactions by emoji, or by people, that are missing', reaction.emoji_name);
        continue;
      }
      if (others.some((other) => same(reaction, other))) {
        omissions.add('reactions that somebody gave twice', String(message));
        continue;
      }
      waiting.set(message, [...others, reaction]);
      waits += 1;
      if (waits < TOGETHER) continue;
      count += await addReactions(parts, waiting);
      waiting = new Map();
      waits = 0;
    }
  }
  return count + (await addReactions(parts, waiting));
}

function mayStay({ users, customEmoji }: Organization, reaction: Reaction): boolean {
  const { user_id, reaction_type, emoji_code } = reaction;
  if (!users.has(user_id)) return false;
  if (reaction_type === 'realm_emoji') return customEmoji.has(Number(emoji_code));
  if (reaction_type === 'unicode_emoji') return emojiNames(emoji_code).length > 0;
  return reaction_type === 'zulip_extra_emoji' && emoji_code === 'zulip';
}

function reactionOf(row: JsonRow): Reaction {
  const type = textIn(row, 'reaction_type');
  const given = textIn(row, 'emoji_code');
  const emoji_code = type === 'unicode_emoji' ? standardCode(given) : given;
  const [known] = type === 'unicode_emoji' ? emojiNames(emoji_code) : [];
  return {
    emoji_name: textIn(row, 'emoji_name') || known || emoji_code,
    emoji_code,
    reaction_type: type as Reaction['reaction_type'],
    user_id: integer(row, 'user_profile'),
  };
}

/** @returns how many of them are at messages that are there */
async function addReactions(
  { store, target, omissions }: AfterParts,
  waiting: ReadonlyMap<number, readonly Reaction[]>,
): Promise<number> {
  const keys = Array.from(waiting.keys(), (id) => ({ collection: 'message', id: String(id) }));
  const found = await store.getMany(keys);
  const writes: Write[] = [];
  let count = 0;
  [...waiting].forEach(([id, added], i) => {
    const message = found[i] as MessageDocument | undefined;
    if (!message) return omissions.add('reactions to messages that are missing', String(id));
    count += added.length;
    const reactions = [...message.reactions];
    for (const one of added) if (!reactions.some((other) => same(one, other))) reactions.push(one);
    writes.push(set('message', String(id), { ...message, reactions }));
  });
  await target.write(writes);
  return count;
}

function same(a: Reaction, b: Reaction): boolean {
  return (
    a.user_id === b.user_id && a.emoji_code === b.emoji_code && a.reaction_type === b.reaction_type
  );
}

/** Writes who has read what, and which messages of channels people got. */
export async function takeReadState(
  { target, omissions }: AfterParts,
  messages: ZulipMessages,
  idle: ReadonlySet<number>,
): Promise<void> {
  const { org } = target;
  let writes: Write[] = [];
  const add = async (user_id: number, recipient_id: number): Promise<void> => {
    const read = messages.unread.outside(user_id, recipient_id);
    const recalled = messages.recalled.get(`${user_id}:${recipient_id}`);
    if (read.length === 0 && !recalled) return;
    const document = { user_id, recipient_id, read, ...(recalled ? { recalled } : {}) };
    writes.push(set('reading', `${user_id}:${recipient_id}`, document));
    if (writes.length < TOGETHER) return;
    await target.write(writes);
    writes = [];
  };
  for (const { user_ids, recipient_id } of org.conversations.values()) {
    for (const userId of user_ids) await add(userId, recipient_id);
  }
  for (const subscription of org.subscriptions.values()) {
    const { user_id, stream_id, active } = subscription;
    const channel = org.channels.get(stream_id)!;
    await add(user_id, channel.recipient_id);
    // A server does not note what people get who have not come for long, and lets them catch up.
    if (channel.history_public_to_subscribers && idle.has(user_id)) continue;
    const spans = spansOf(messages.received.of(user_id, channel.recipient_id), active, messages);
    const document: Document = { ...subscription, spans };
    writes.push(set('subscription', `${user_id}:${stream_id}`, document));
    if (spans.length > 1 && !channel.history_public_to_subscribers) {
      omissions.add('subscriptions that were interrupted, kept as such', channel.name);
    }
  }
  await target.write(writes);
}

/** The last span of a present subscriber has no end: they get what comes after the export, too. */
function spansOf(
  runs: readonly [number, number][],
  active: boolean,
  { newestId }: ZulipMessages,
): [number, number | null][] {
  const spans = runs.map(([first, last]): [number, number | null] => [first, last + 1]);
  if (!active) return spans;
  const open = spans.pop();
  return [...spans, [open?.[0] ?? newestId + 1, null]];
}
