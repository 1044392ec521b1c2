import { type Noted, type Omissions, set, type Taken } from './import-job.js';
import { ArchiveError } from './tar.js';
import type { IntervalRuns } from './interval-runs.js';
import type { Document, Store, Write } from '../../store/port.js';
import type { HeldLease } from '../../store/transfer/held.js';
import {
  importProgress,
  MARK_FINISHED,
  markUnfinished,
  unfinishedImport,
} from '../../store/transfer/unfinished.js';
import { encodeEntry } from '../../journal/entry-text.js';
import { storedFault } from '../../organization/state/stored-fault.js';
import { messageSource } from '../../organization/state/load.js';
import { Organization } from '../../organization/state/organization.js';
import { recordSchemaVersions } from '../../organization/state/software.js';
import { OPERATOR } from '../../organization/state/audited.js';
import { Transaction } from '../../organization/state/transaction.js';

/** Documents per commit, and their text, UTF-16 units: as imports of Parley's own files. */
const BATCH = 1000;
const BATCH_SIZE = 2 * 1024 * 1024;

/** What is not kept in memory: its size grows with the messages. */
const APART = new Set(['message', 'reading', 'mark']);

/** How far an import got. */
export interface ImportProgress {
  /** Files of messages that were taken; -1 before the people and channels were. */
  readonly files: number;
  /** What was noted while people and channels were taken, which are not taken again. */
  readonly noted?: Noted;
}

/** Where an organization that comes from elsewhere is built. */
interface TargetParts {
  readonly store: Store;
  readonly held: HeldLease;
  /** Names what is imported: another archive can't go on where this one stopped. */
  readonly archive: string;
  readonly url: string;
  readonly botDomain: string;
  readonly now: () => number;
  readonly omissions: Omissions;
}

/** What only the import itself has counted. */
interface Counts {
  /** Accounts, and groups where there are any. */
  readonly people: Taken;
  readonly messages: number;
  readonly reactions: number;
  readonly files: number;
  readonly avatars: number;
}

/**
 * An empty store that is filled with what another software exported. The organization is in memory but for its
 * messages; documents go to the store in batches, and no events are made, because nobody listens. The store is marked
 * as unfinished until the end, so that nobody serves it, and an import that was cut off goes on.
 */
export class ImportTarget {
  readonly org: Organization;
  private files: number;
  private noted: Noted | undefined;

  private constructor(
    private readonly parts: TargetParts,
    progress: ImportProgress | null,
  ) {
    const { store, url, botDomain, now } = parts;
    const site = { url, botDomain, generation: 0 };
    this.org = new Organization(site, messageSource(store), now);
    this.files = progress?.files ?? -1;
    this.noted = progress?.noted;
    if (this.noted) parts.omissions.restore(this.noted);
  }

  /** @throws Error for a store that holds anything else than the beginning of the same import */
  static async open(parts: TargetParts): Promise<ImportTarget> {
    const { store, archive } = parts;
    const former = await unfinishedImport(store);
    if (former !== null && former !== archive) {
      throw new Error(
        `${store.description} holds part of another import: finish that one, or empty it first`,
      );
    }
    if (former === null) {
      const isEmpty =
        (await store.collections()).length === 0 && (await store.lastEntry()) === null;
      if (!isEmpty) {
        throw new Error(`${store.description} is not empty: import into an empty store only`);
      }
    }
    const progress = (await importProgress(store)) as ImportProgress | null;
    const target = new ImportTarget(parts, progress);
    if (progress !== null) await target.load();
    return target;
  }

  /** Files of messages that were taken before; -1 where not even the people were. */
  get filesDone(): number {
    return this.files;
  }

  /** Builds people and channels, all at once, and writes them. */
  async found(work: (tx: Transaction) => void): Promise<void> {
    const { omissions } = this.parts;
    omissions.record();
    const writes = this.transact((tx) => {
      work(tx);
      recordSchemaVersions(tx);
    });
    this.noted = omissions.recorded();
    for (const write of writes) checked(write);
    // What was refused until here has written nothing.
    await this.commit([markUnfinished(this.parts.archive)]);
    await this.write(writes, 0);
  }

  /** Changes the organization in memory. @returns what is to be written for that */
  transact(work: (tx: Transaction) => void): readonly Write[] {
    const { org } = this;
    const tx = new Transaction(org, 1, org.now(), OPERATOR);
    return org.unit.run(tx, work).content.writes;
  }

  /** Changes the organization in memory and writes that at once, with the times at which something is due. */
  async apply(work: (tx: Transaction) => void): Promise<void> {
    const { org } = this;
    const tx = new Transaction(org, 1, org.now(), OPERATOR);
    const { writes, due } = org.unit.run(tx, work).content;
    const { store, held } = this.parts;
    await store.commit(held.lease, { entries: [], writes: writes.map(checked), due });
  }

  /**
   * Writes documents, some at a time.
   * @param files of messages that are taken when all of them are written; absent: as many as before
   * @throws ArchiveError for a document that does not fit its schema: the archive has what was not expected
   */
  async write(writes: readonly Write[], files?: number): Promise<void> {
    let batch: Write[] = [];
    let size = 0;
    for (const write of writes) {
      const whole = checked(write);
      size += whole.op === 'set' ? whole.text!.length : 0;
      batch.push(whole);
      if (batch.length < BATCH && size < BATCH_SIZE) continue;
      await this.commit(batch);
      batch = [];
      size = 0;
    }
    if (files !== undefined) {
      this.files = files;
      batch.push(markUnfinished(this.parts.archive, this.progress(files)));
    }
    if (batch.length > 0) await this.commit(batch);
  }

  /** Makes it an organization that can be served. @param seq position at which its journal begins */
  async finish(seq: number): Promise<void> {
    const { store, held, now } = this.parts;
    await held.still();
    const entry = encodeEntry(seq, now(), { writes: [], events: [], due: [] });
    const asked = { op: 'set', key: HISTORY_REQUEST, document: { next: 'go_on' } } as const;
    const writes = [asked, MARK_FINISHED];
    await store.commit(held.lease, { entries: [entry], writes, due: [] });
  }

  /**
   * Ends an import that numbered its messages from 1 on.
   * @returns what was taken, as it is told: what is given and what the organization has
   */
  async finishNumbered({ people, messages, reactions, files, avatars }: Counts): Promise<Taken> {
    const { org } = this;
    await this.write(this.transact(() => org.counters.skip('message', messages)));
    await this.finish(messages + 1);
    return {
      ...people,
      channels: org.channels.size,
      subscriptions: org.subscriptions.size,
      ...{ messages, reactions, files },
      'custom emoji': org.customEmoji.size,
      'pictures of people': avatars,
    };
  }

  /** Writes who has read what, once all messages are there. @param unread who has not */
  async writeReadState(unread: IntervalRuns): Promise<void> {
    const { org } = this;
    const writes: Write[] = [];
    const add = (user_id: number, recipient_id: number): void => {
      const read = unread.outside(user_id, recipient_id);
      const id = `${user_id}:${recipient_id}`;
      if (read.length > 0) writes.push(set('reading', id, { user_id, recipient_id, read }));
    };
    for (const { user_ids, recipient_id } of org.conversations.values()) {
      for (const userId of user_ids) add(userId, recipient_id);
    }
    for (const { user_id, stream_id } of org.subscriptions.values()) {
      add(user_id, org.channels.get(stream_id)!.recipient_id);
    }
    await this.write(writes);
  }

  private progress(files: number): Document {
    const progress: ImportProgress = { files, ...(this.noted ? { noted: this.noted } : {}) };
    return progress as unknown as Document;
  }

  private async commit(writes: readonly Write[]): Promise<void> {
    const { store, held } = this.parts;
    await store.commit(held.lease, { entries: [], writes, due: [] });
  }

  private async load(): Promise<void> {
    for (const collection of this.org.loadable) {
      if (APART.has(collection.name)) continue;
      for await (const batch of this.parts.store.scan(collection.name)) {
        for (const { document } of batch) collection.load(document);
      }
    }
    // A kill between two batches may leave conversations that the counter does not know of.
    const { conversations } = this.org;
    const used = [...conversations.values()].map(({ recipient_id }) => recipient_id);
    const last = used.reduce((most, id) => Math.max(most, id), 0);
    await this.write(this.transact(({ org }) => org.counters.skip('recipient', last)));
  }
}

/** @throws ArchiveError for a document that does not fit its schema */
function checked(write: Write): Write {
  if (write.op === 'delete') return write;
  const { key, document } = write;
  const fault = storedFault(key.collection, key.id, document);
  if (fault !== null) throw new ArchiveError(`${key.collection}:${key.id} of the archive ${fault}`);
  return { op: 'set', key, document, text: JSON.stringify(document) };
}

const HISTORY_REQUEST = { collection: 'history_request', id: 'history' };
