/** What a store keeps beside its documents and could be made of them: compared item by item. */
import {
  dueDifferences,
  type DueDifference,
} from '../../organization/scheduling/due-comparison.js';
import { ScheduledItems, parseKey } from '../../organization/scheduling/scheduled-items.js';
import {
  ARCHIVE_COLLECTION,
  ARCHIVE_INDEX,
} from '../../organization/messages/retention/archives.js';
import { Organization } from '../../organization/state/organization.js';
import { DELIVERY_INDEX } from '../../organization/state/scheduled/scheduled-collection.js';
import type { Document, StoreReads } from '../../store/port.js';

type Report = (line: string) => void;
type Reads = Pick<StoreReads, 'getMany' | 'scanDue'>;

/** Collections whose ids come from a counter of another name. */
const NUMBERED_BY: Readonly<Record<string, string>> = {
  channel: 'stream',
  conversation: 'recipient',
  outgoing_mail: 'mail',
  outgoing_push: 'push',
};
/** Counters that no store is without: an id that is given again would take the place of another. */
const ALWAYS = ['message', 'recipient', 'stream', 'user'];

/** Collects of the documents of a store what is derived of them, and compares it with what the store keeps. */
export class DerivedCheck {
  private readonly org = organizationOfNothing();
  private readonly items = new ScheduledItems(this.org);
  /** When archives were made, milliseconds since 1970, by their id. */
  private readonly archives = new Map<string, number>();
  private readonly highest = new Map<string, number>();
  private readonly counted = new Map<string, number>();
  /** Keys of damaged documents, which were named, and of those of older versions. */
  private readonly unjudged = new Set<string>();
  private readonly unread = new Set<string>();

  constructor(
    private readonly store: Reads,
    private readonly report: Report,
  ) {}

  /** Takes note of a document that is whole. */
  add(collection: string, id: string, document: Document): void {
    const number = Number(id);
    if (number > (this.highest.get(collection) ?? 0)) this.highest.set(collection, number);
    if (collection === 'counter') this.counted.set(id, Number(document['last']));
    else if (collection === ARCHIVE_COLLECTION) {
      this.archives.set(id, Number(document['archived_at']) * 1000);
    } else if (collection === 'scheduled_message' || collection === 'reminder') {
      if ('context' in document) this.org.load(collection, document);
      // One of an older version becomes such a snapshot at the next start, which compares it.
      else this.unjudged.add(`${collection}:${id}`);
    }
  }

  /** Takes note of a damaged document: nobody knows what it says. */
  skip(key: string): void {
    this.unjudged.add(key);
  }

  /** Takes note of a collection that could not be read to its end. */
  skipAll(collection: string): void {
    this.unread.add(collection);
  }

  /** Compares, once all documents were added. */
  async finish(): Promise<void> {
    this.counters();
    await this.deliveries();
    await this.dropped();
  }

  private counters(): void {
    for (const [collection, highest] of this.highest) {
      const counter = NUMBERED_BY[collection] ?? collection;
      // Numbered with messages, and in stores of earlier versions by its own.
      if (counter === 'scheduled_message') continue;
      const last = this.counted.get(counter) ?? (ALWAYS.includes(counter) ? 0 : Infinity);
      if (highest > last) {
        this.report(`counter:${counter}: it says ${last}, and there is ${collection}:${highest}`);
      }
    }
  }

  private async deliveries(): Promise<void> {
    const scan = () => this.store.scanDue(DELIVERY_INDEX);
    const isUnjudged = (id: string): boolean =>
      this.unjudged.has(id) || this.unread.has(parseKey(id)?.kind ?? '');
    const first = await dueDifferences(scan, this.items, isUnjudged);
    if (first.length === 0) return;
    // What changed since its document was read is compared again, as it is now.
    const suspects = new Set(first.map(({ id }) => id));
    await this.readAgain(suspects);
    const isOther = (id: string): boolean => !suspects.has(id);
    for (const one of await dueDifferences(scan, this.items, isOther)) {
      this.report(`due index ${DELIVERY_INDEX}: ${inWords(one)}`);
    }
  }

  private async readAgain(ids: ReadonlySet<string>): Promise<void> {
    for (const id of ids) {
      const item = parseKey(id);
      if (!item) continue;
      const key = { collection: item.kind, id: String(item.id) };
      // A damaged one was named.
      const [document] = await this.store.getMany([key]).catch(() => [undefined]);
      if (document && 'context' in document) this.org.load(item.kind, document);
      else {
        const { reminders, scheduledMessages } = this.org;
        (item.kind === 'reminder' ? reminders : scheduledMessages).index.remove(item.id);
      }
    }
  }

  /** When an archive is dropped depends on how long they were to be kept when it was made: never before it was made. */
  private async dropped(): Promise<void> {
    if (this.unread.has(ARCHIVE_COLLECTION)) return;
    const { archives } = this;
    const known = new Set<string>();
    const wrong: string[] = [];
    for await (const slots of this.store.scanDue(ARCHIVE_INDEX)) {
      for (const { id, at, isBroken } of slots) {
        if (isBroken || at < (archives.get(id) ?? Infinity)) wrong.push(id);
        known.add(id);
      }
    }
    for (const id of archives.keys()) if (!known.has(id)) wrong.push(id);
    for (const id of new Set(wrong)) {
      if (this.unjudged.has(`${ARCHIVE_COLLECTION}:${id}`)) continue;
      const isKnown = archives.has(id);
      const key = { collection: ARCHIVE_COLLECTION, id };
      const [document] = await this.store.getMany([key]).catch(() => [undefined]);
      // Made, or dropped, meanwhile.
      if ((document !== undefined) !== isKnown) continue;
      const problem = known.has(id) ? 'has another time than its document' : 'is missing';
      this.report(`due index ${ARCHIVE_INDEX}: ${id} ${isKnown ? problem : 'is no archive'}`);
    }
  }
}

function inWords({ id, at, was }: DueDifference): string {
  if (at === null) return `${id} does not wait for a time`;
  if (was === null) return `${id} is missing`;
  if (was === at) return `${id}, due at ${timeText(at)}, is noted in one place of two`;
  return `${id} is due at ${new Date(at).toISOString()}, and stands at ${timeText(was)}`;
}

function timeText(ms: number): string {
  const time = new Date(ms);
  return Number.isNaN(time.getTime()) ? String(ms) : time.toISOString();
}

function organizationOfNothing(): Organization {
  const site = { url: '', botDomain: '', generation: 0 };
  return new Organization(site, { getMany: async () => [] }, () => 0);
}
