import { nextTurn } from '../../../platform/timers.js';
import type { MessageArchiveDocument } from '../../../../schemas/messages/message-archive-document.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { DamagedError, type Store } from '../../../store/port.js';
import { readApart } from '../../state/damaged-documents.js';
import type { Organization } from '../../state/organization.js';
import type { Transaction } from '../../state/transaction.js';
import type { Runtime } from '../../state/runtime.js';
import { ARCHIVE_INDEX, archiveKey, scheduleLost } from './archives.js';
import {
  expiredMessages,
  expiryOf,
  nextExpiry,
  recipientIds,
  type ExpiredConversation,
  type ExpiredTopic,
} from './expired-messages.js';
import { dropArchivedLinks } from '../attachment-links.js';
import { removeTopics, type TopicRemoval } from '../deletion/remove-messages.js';
import { NEVER } from '../../state/scheduled/next-due.js';

/** Dependencies of retention. */
interface MessageRetentionParts {
  readonly runtime: Runtime;
  readonly store: Pick<Store, 'due' | 'getMany' | 'scan' | 'scanDue'>;
  /** How long removed messages can be restored, milliseconds; null: not at all. */
  readonly keepMs: number | null;
  /** Told how many archives the due index lacked. */
  readonly remade: (missing: number) => void;
}

/** The result of one pass. */
interface PassResult {
  /** Messages removed. */
  readonly removed: number;
  /** Messages deleted permanently. */
  readonly dropped: number;
  /** Whether the pass reached its bound, so that there may be more. */
  readonly more: boolean;
}

/**
 * Bounds of a batch. It takes 5 to 8 ms: the documents are written to the archive, in addition to a topic
 * deletion's work.
 */
const BATCH = { messages: 200, flags: 1000 };
/** Characters of one batch, unless a single message has more: they are written again as one document. */
const BATCH_CHARACTERS = 128 * 1024;
/**
 * Events of one pass: a tenth of a queue's capacity, so that the queue of a client that is away for some
 * hours survives the first removals of an old organization.
 */
const EVENTS_PER_PASS = 1000;
/** Conversations checked before the event loop serves others. */
const LOOKED_AT = 500;
/** Archives read and deleted at a time, up to 1 MiB each. */
const DROPPED_AT_ONCE = 4;
/** The last instant that a `Date` can name. */
const MAX_TIME_MS = 8.64e15;

/**
 * MessageRetention applies the retention periods of the organization and its channels: it deletes expired
 * messages batch by batch, each batch durable by itself, and archives them for a while. After a crash the
 * next pass continues.
 */
export class MessageRetention {
  private running = false;
  private stopped = false;
  /** The due index has all archives that there are. */
  private found = false;

  constructor(private readonly parts: MessageRetentionParts) {}

  /** One pass. Does nothing while another one runs. @throws what the store throws */
  async run(): Promise<PassResult> {
    if (this.running || this.stopped) return { removed: 0, dropped: 0, more: false };
    this.running = true;
    try {
      const dropped = await this.drop();
      return { dropped, ...(await this.removeExpired()) };
    } finally {
      this.running = false;
    }
  }

  /** When the next message expires, or the time of the next archive is over. */
  async nextDue(): Promise<number> {
    const [archive] = await this.parts.store.due(ARCHIVE_INDEX, MAX_TIME_MS, 1);
    return Math.min(nextExpiry(this.org), archive?.at ?? NEVER);
  }

  /** Stops removing messages. */
  stop(): void {
    this.stopped = true;
  }

  private get org(): Organization {
    return this.parts.runtime.org;
  }

  private async removeExpired(): Promise<{ removed: number; more: boolean }> {
    let [removed, events, looked] = [0, 0, 0];
    for (const recipientId of [...recipientIds(this.org)]) {
      if ((looked += 1) % LOOKED_AT === 0) await nextTurn();
      for (;;) {
        if (this.stopped) return { removed, more: true };
        const conversation = expiryOf(this.org, recipientId);
        const batch = conversation ? expiredMessages(this.org, conversation, BATCH) : [];
        if (batch.length === 0) break;
        if (events >= EVENTS_PER_PASS) return { removed, more: true };
        const count = await this.removeBatch(conversation!, batch);
        // All of it was moved meanwhile: the next pass checks it.
        if (count === 0) break;
        removed += count;
        events += batch.length;
        await nextTurn();
      }
    }
    return { removed, more: false };
  }

  /** @returns how many messages were removed */
  private async removeBatch(
    { recipientId }: ExpiredConversation,
    batch: readonly ExpiredTopic[],
  ): Promise<number> {
    const { runtime, keepMs } = this.parts;
    const { messages } = this.org;
    const ids = batch.flatMap((topic) => topic.ids);
    const documents = await messages.fetch(ids, false);
    if (this.stopped) return 0;
    const count = runtime.transact((tx) => {
      // Period and messages as they are now: both may have changed while the documents were read.
      const conversation = expiryOf(tx.org, recipientId);
      const current = (id: number): MessageDocument | undefined =>
        messages.resident(id) ?? documents.get(id);
      const parts = conversation ? stillExpired(tx.org, conversation, batch, current) : [];
      if (conversation && parts.length > 0) archiveMessages(tx, conversation, parts, keepMs);
      return parts.reduce((sum, part) => sum + part.ids.length, 0);
    });
    await runtime.journal.barrier();
    return count;
  }

  /** Makes the due index whole. */
  private async remake(): Promise<void> {
    const { runtime, store, remade } = this.parts;
    const lost = await scheduleLost(runtime, store, () => this.stopped);
    if (lost > 0) await runtime.journal.barrier();
    this.found = true;
    if (lost > 0) remade(lost);
  }

  /** Deletes archives whose time is over. @returns how many messages */
  private async drop(): Promise<number> {
    const { runtime, store, keepMs } = this.parts;
    if (!this.found) await this.remake();
    let dropped = 0;
    for (;;) {
      const due = await store.due(ARCHIVE_INDEX, this.org.now(), DROPPED_AT_ONCE);
      if (due.length === 0 || this.stopped) return dropped;
      const keys = due.map(({ id }) => archiveKey(id));
      const documents = await readApart((some) => store.getMany(some), keys);
      if (this.stopped) return dropped;
      runtime.transact((tx) => {
        documents.forEach((document, i) => {
          const empty = { id: Number(due[i]!.id), archived_at: 0, messages: [] };
          // Of a damaged one nothing can be kept, and nobody knows which files it linked.
          const isReadable = document !== undefined && !(document instanceof DamagedError);
          const archive = (isReadable ? document : empty) as MessageArchiveDocument;
          const until = 1000 * archive.archived_at + (keepMs ?? 0);
          // Never sooner than the document says, whatever the index does.
          if (until > tx.now) return tx.schedule(ARCHIVE_INDEX, String(archive.id), until);
          dropArchive(tx, archive);
          dropped += archive.messages.length;
        });
      });
      await runtime.journal.barrier();
      await nextTurn();
    }
  }
}

/**
 * The messages of a batch that still exist and are expired, with their documents, up to the bound in
 * characters.
 */
function stillExpired(
  org: Organization,
  { recipientId, until }: ExpiredConversation,
  batch: readonly ExpiredTopic[],
  current: (id: number) => MessageDocument | undefined,
): ExpiredPart[] {
  const parts: ExpiredPart[] = [];
  let characters = 0;
  for (const { key, ids } of batch) {
    const topic = org.messages.index.topic(recipientId, key);
    const found = ids
      .filter((id) => topic?.list.has(id) && org.messages.peek(id)!.timestamp <= until)
      .map(current)
      .filter((document) => document !== undefined)
      .filter((document) => {
        const isFirst = characters === 0;
        characters += sizeOf(document);
        return isFirst || characters <= BATCH_CHARACTERS;
      });
    if (found.length === 0) continue;
    parts.push({ topic: topic!.name, ids: found.map(({ id }) => id), documents: found });
  }
  return parts;
}

function sizeOf({ content, rendered_content, edit_history = [] }: MessageDocument): number {
  const edits = edit_history.reduce(
    (sum, { prev_content = '', prev_rendered_content = '' }) =>
      sum + prev_content.length + prev_rendered_content.length,
    0,
  );
  return content.length + rendered_content.length + edits;
}

/** Expired messages of one topic, with their documents. */
interface ExpiredPart extends TopicRemoval {
  readonly documents: readonly MessageDocument[];
}

/**
 * Removes expired messages as a deletion by the server, and archives them.
 * @param keepMs how long; null: not at all
 */
function archiveMessages(
  tx: Transaction,
  { recipientId, streamId }: ExpiredConversation,
  parts: readonly ExpiredPart[],
  keepMs: number | null,
): void {
  const { org } = tx;
  const removal = { recipientId, topics: parts, actor: null };
  if (keepMs === null) {
    removeTopics(tx, removal);
    return;
  }
  const messages = parts.flatMap(({ documents }) => documents).sort((a, b) => a.id - b.id);
  const marks = messages.flatMap(({ id }) =>
    org.messageFlags.usersOf(id).map((userId) => org.messageFlags.of(userId, id)!),
  );
  const id = org.counters.next('message_archive');
  const document: MessageArchiveDocument = {
    id,
    archived_at: tx.seconds,
    recipient_id: recipientId,
    stream_id: streamId,
    messages,
    marks,
  };
  removeTopics(tx, { ...removal, archived: true });
  org.unit.record({ op: 'set', key: archiveKey(id), document }, () => undefined);
  tx.schedule(ARCHIVE_INDEX, String(id), tx.now + keepMs);
}

/** Deletes archived messages permanently; files that only they linked become unclaimed. */
function dropArchive(tx: Transaction, { id, messages }: MessageArchiveDocument): void {
  tx.org.unit.record({ op: 'delete', key: archiveKey(id) }, () => undefined);
  tx.schedule(ARCHIVE_INDEX, String(id), null);
  dropArchivedLinks(
    tx,
    messages.map((message) => message.id),
  );
}
