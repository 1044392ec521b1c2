import type { AttachmentDocument } from '../../../../schemas/uploads/uploads.js';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { MessageArchiveDocument } from '../../../../schemas/messages/message-archive-document.js';
import type {
  MessageFlagsDocument,
  MessageDocument,
} from '../../../../schemas/messages/message.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import type { Document, DueChange, Lease, Store, Write } from '../../../store/port.js';
import type { AuditChange } from '../../../../schemas/realm/audit-log.js';
import { commitOffline } from '../../state/audit.js';
import { ARCHIVE_COLLECTION, ARCHIVE_INDEX, archiveKey } from './archives.js';
import { expiryTime, retentionDays } from './expired-messages.js';

/** The selected archived messages: channels by id or name, `direct` for direct messages; none selects all. */
export type Wanted = readonly string[];

/** The result of a restoration, by the operator's name of the conversation. */
interface Restored {
  readonly restored: ReadonlyMap<string, number>;
  /** Messages that the retention period would remove again at once; they stay archived. */
  readonly refused: ReadonlyMap<string, { readonly count: number; readonly days: number }>;
}

const DIRECT = 'direct';
const DIRECT_NAME = 'direct messages';

/**
 * Restores archived messages with their stars and files in a store that no process serves. Each archive is
 * one journal entry: a crash leaves the others archived. It emits no events: clients see the messages when
 * they next load the conversation.
 * @param still checks that the lease is still held
 * @throws Error for a channel that does not exist
 */
export async function restoreMessages(
  store: Store,
  lease: Lease,
  wanted: Wanted,
  options: { readonly now: () => number; readonly still: () => Promise<void> },
): Promise<Restored> {
  const [realm] = await store.getMany([{ collection: 'realm', id: 'realm' }]);
  if (!realm) throw new Error(`${store.description} has no organization`);
  const channels = await channelsOf(store);
  const meant = meantBy(wanted, channels);
  const restored = new Map<string, number>();
  const refused = new Map<string, { count: number; days: number }>();
  for await (const [archive] of scanOne<MessageArchiveDocument>(store, ARCHIVE_COLLECTION)) {
    if (!archive || !meant(archive.stream_id)) continue;
    const channel = archive.stream_id === null ? null : (channels.get(archive.stream_id) ?? null);
    const days = retentionDays(realm as RealmDocument, channel);
    const until = days === null ? -Infinity : expiryTime(days, options.now());
    const [back, over] = split(archive.messages, ({ timestamp }) => timestamp > until);
    const name =
      archive.stream_id === null ? DIRECT_NAME : `#${channel?.name ?? archive.stream_id}`;
    if (over.length > 0) {
      refused.set(name, { count: (refused.get(name)?.count ?? 0) + over.length, days: days! });
    }
    if (back.length === 0) continue;
    await options.still();
    const files = await attachmentWrites(store, back);
    const writes = [...messageWrites(archive, back), ...files, archiveWrite(archive, over)];
    await commitOffline(store, lease, options.now(), {
      writes,
      due: over.length > 0 ? [] : [unscheduled(archive)],
      told: [recordOf(channel, back.length)],
    });
    restored.set(name, (restored.get(name) ?? 0) + back.length);
  }
  return { restored, refused };
}

/** What the audit log tells: how many messages came back, and not which. @param channel null: direct messages */
function recordOf(channel: ChannelDocument | null, count: number): AuditChange {
  const fields = [{ name: 'restored', old: null, new: String(count) }];
  return channel
    ? { kind: 'channel', id: channel.stream_id, name: channel.name, action: 'changed', fields }
    : { kind: 'message', id: 0, name: '', action: 'created', fields };
}

async function channelsOf(store: Store): Promise<Map<number, ChannelDocument>> {
  const channels = new Map<number, ChannelDocument>();
  for await (const batch of store.scan('channel')) {
    for (const { document } of batch) {
      const channel = document as ChannelDocument;
      channels.set(channel.stream_id, channel);
    }
  }
  return channels;
}

/** @throws Error for a channel that does not exist */
function meantBy(
  wanted: Wanted,
  channels: ReadonlyMap<number, ChannelDocument>,
): (streamId: number | null) => boolean {
  if (wanted.length === 0) return () => true;
  const ids = new Set(
    wanted.map((word) => {
      if (word === DIRECT) return null;
      const name = word.replace(/^#/, '').toLowerCase();
      const byName = [...channels.values()].find((one) => one.name.toLowerCase() === name);
      const found = byName ?? channels.get(Number(word));
      if (!found) throw new Error(`There is no channel ${word}`);
      return found.stream_id;
    }),
  );
  return (streamId) => ids.has(streamId);
}

/** Reads one document at a time: an archive is large. */
async function* scanOne<D>(store: Store, collection: string): AsyncGenerator<readonly D[]> {
  let after: string | undefined;
  for (;;) {
    let found: { id: string; document: Document } | undefined;
    // A new scan for each document, because the collection changes in between.
    for await (const batch of store.scan(collection, { after, batch: 1 })) {
      [found] = batch;
      break;
    }
    if (!found) return;
    yield [found.document as D];
    after = found.id;
  }
}

function split<T>(all: readonly T[], matches: (one: T) => boolean): [T[], T[]] {
  return [all.filter(matches), all.filter((one) => !matches(one))];
}

function messageWrites(
  { marks }: MessageArchiveDocument,
  messages: readonly MessageDocument[],
): Write[] {
  const ids = new Set(messages.map(({ id }) => id));
  return [
    ...messages.map((message) => set('message', String(message.id), message)),
    ...marks
      .filter(({ message_id }) => ids.has(message_id))
      .map((mark: MessageFlagsDocument) => set('mark', `${mark.user_id}:${mark.message_id}`, mark)),
  ];
}

/** Writes that restore the links to files. */
async function attachmentWrites(
  store: Store,
  messages: readonly MessageDocument[],
): Promise<Write[]> {
  const ids = new Set(messages.filter((one) => one.has_attachment).map(({ id }) => id));
  if (ids.size === 0) return [];
  const writes: Write[] = [];
  for await (const batch of store.scan('attachment')) {
    for (const { id, document } of batch) {
      const attachment = document as AttachmentDocument;
      const [back, left] = split(attachment.archived_message_ids ?? [], (one) => ids.has(one));
      if (back.length === 0) continue;
      const message_ids = [...attachment.message_ids, ...back].sort((a, b) => a - b);
      writes.push(
        set('attachment', id, { ...attachment, message_ids, archived_message_ids: left }),
      );
    }
  }
  return writes;
}

function archiveWrite(archive: MessageArchiveDocument, left: readonly MessageDocument[]): Write {
  if (left.length === 0) return { op: 'delete', key: archiveKey(archive.id) };
  const ids = new Set(left.map(({ id }) => id));
  const marks = archive.marks.filter(({ message_id }) => ids.has(message_id));
  return set(ARCHIVE_COLLECTION, String(archive.id), { ...archive, messages: left, marks });
}

function set(collection: string, id: string, document: object): Write {
  return { op: 'set', key: { collection, id }, document: document as Document };
}

function unscheduled({ id }: MessageArchiveDocument): DueChange {
  return { index: ARCHIVE_INDEX, id: String(id), at: null };
}
