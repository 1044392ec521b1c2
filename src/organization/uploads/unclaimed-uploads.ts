import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import { dropAttachment } from './attachments.js';
import { isUnclaimed } from '../state/collections/attachments.js';
import type { Organization } from '../state/organization.js';
import { loadOwned, ownedNow } from '../state/scheduled/loaded-items.js';
import type { Transaction } from '../state/transaction.js';
import { NEVER } from '../state/scheduled/next-due.js';

/** Files removed per transaction. */
const BATCH = 100;
/** Files removed per round at most; the others wait for the next one. */
const MAX_PER_ROUND = 10_000;
/** Files checked before the event loop serves others. */
const LOOKED_AT = 1000;

/** Dependencies of the removal. */
interface UnclaimedUploadsParts {
  /** How long a file that no message links is kept, in milliseconds. */
  readonly keepMs: number;
  /** @throws ApiError 503 while the store is failing */
  readonly transact: <T>(work: (tx: Transaction) => T) => T;
  /** Resolves when the preceding changes are durable. */
  readonly durable: () => Promise<void>;
  /** Removes a file's bytes; called when no document names them any more. A crash may leave them. */
  readonly removeBytes: (key: string) => void;
}

/**
 * UnclaimedUploads removes uploaded files that no message has linked for a long time: their message was
 * never sent, or was edited or deleted. Files in the uploader's drafts, saved snippets, scheduled messages
 * and reminders are kept. Avatars and pictures of the organization are not uploads in this sense.
 */
export class UnclaimedUploads {
  private running = false;
  private stopped = false;

  constructor(
    private readonly org: Organization,
    private readonly parts: UnclaimedUploadsParts,
  ) {}

  /** Runs one round. Does nothing while another one runs. @returns how many files were removed */
  async run(): Promise<number> {
    if (this.running) return 0;
    this.running = true;
    try {
      return await this.round();
    } finally {
      this.running = false;
    }
  }

  /** Stops removing files. */
  stop(): void {
    this.stopped = true;
  }

  /**
   * When the next file is to be removed.
   * @param since those that were due before are kept, as drafts have them; milliseconds since 1970
   */
  nextDue(since: number): number {
    let next = NEVER;
    for (const id of this.org.attachments.unclaimed) {
      const { create_time, released_at = 0 } = this.org.attachments.get(id)!;
      const due = Math.max(create_time, released_at) * 1000 + this.parts.keepMs;
      if (due > since) next = Math.min(next, due);
    }
    return next;
  }

  private async round(): Promise<number> {
    const until = Math.floor((this.org.now() - this.parts.keepMs) / 1000);
    let removed = 0;
    for (const [owner, ids] of await this.dueByOwner(until)) {
      for (let i = 0; i < ids.length && !this.stopped; i += BATCH) {
        removed += await this.removeSome(owner, ids.slice(i, i + BATCH), until);
      }
    }
    return removed;
  }

  /** Expired files by uploader. */
  private async dueByOwner(until: number): Promise<Map<number, number[]>> {
    const due = new Map<number, number[]>();
    const pause = new EventLoopYield();
    let [looked, found] = [0, 0];
    for (const id of this.org.attachments.unclaimed) {
      if ((looked += 1) % LOOKED_AT === 0 && pause.isDue) await pause.take();
      const attachment = this.org.attachments.get(id);
      if (!attachment || !isDue(attachment, until)) continue;
      const ids = due.get(attachment.user_id);
      if (ids) ids.push(id);
      else due.set(attachment.user_id, [id]);
      if ((found += 1) === MAX_PER_ROUND) break;
    }
    return due;
  }

  private async removeSome(owner: number, ids: readonly number[], until: number): Promise<number> {
    const { org, parts } = this;
    const messages = await loadOwned(org.scheduledMessages, owner);
    const reminders = await loadOwned(org.reminders, owner);
    if (this.stopped) return 0;
    // An item that cannot be read may name any file.
    const isReadable =
      messages.size >= org.scheduledMessages.index.countOf(owner) &&
      reminders.size >= org.reminders.index.countOf(owner);
    if (!isReadable) return 0;
    const removed = parts.transact((tx) => {
      const kept = namesIn([
        ...org.drafts.of(owner),
        ...org.savedSnippets.of(owner),
        ...ownedNow(org.scheduledMessages, owner, messages).map(({ context }) => context),
        ...ownedNow(org.reminders, owner, reminders).map(({ context }) => context),
      ]);
      const gone = ids
        .map((id) => org.attachments.get(id))
        .filter((one) => one !== undefined && isDue(one, until) && !kept.has(nameOf(one)));
      for (const attachment of gone) dropAttachment(tx, attachment!, parts.removeBytes);
      return gone.length;
    });
    await parts.durable();
    return removed;
  }
}

function isDue(attachment: AttachmentDocument, until: number): boolean {
  const { create_time, released_at = 0 } = attachment;
  return isUnclaimed(attachment) && Math.max(create_time, released_at) <= until;
}

/** The part of a file's address that is unique. */
function nameOf({ path_id }: AttachmentDocument): string {
  return path_id.split('/')[2]!;
}

/** Matches a part of an address that may be the unique part of a file's. */
const NAME = /\/([\w-]{24})(?![\w-])/g;

/** The unique parts of files that texts may link. */
function namesIn(texts: readonly { readonly content: string }[]): Set<string> {
  const names = new Set<string>();
  for (const { content } of texts) {
    for (const [, name] of content.matchAll(NAME)) names.add(name!);
  }
  return names;
}
