import {
  CONSOLE_EVENTS,
  CONSOLE_NAMES,
  type JournalRowFields,
  type OpenedEntryRow,
} from '../../../schemas/queues/console.js';
import type { WatchedEntry } from '../../organization/state/runtime.js';

/** What is kept of an entry: names of documents and the shared events, no document. */
interface KeptEntry extends Pick<OpenedEntryRow, 'seq' | 'at' | 'changes' | 'change_count'> {
  readonly events: WatchedEntry['events'];
}

/** JournalTail keeps the newest entries of the journal while somebody looks. Nothing that people write leaves it. */
export class JournalTail {
  private entries: KeptEntry[] = [];
  private events = 0;

  constructor(private readonly now: () => number) {}

  readonly add = ({ seq, changes, events }: WatchedEntry): void => {
    const named = changes.slice(0, CONSOLE_NAMES).map(({ op, key }) => ({
      ...{ collection: key.collection, document_id: numberOf(key.id), change: op },
    }));
    const at = this.now();
    this.entries.push({ seq, at, changes: named, change_count: changes.length, events });
    // An entry without events counts too, so that there is a bound.
    this.events += Math.max(1, events.length);
    // In one go, not for each entry.
    if (this.events < 2 * CONSOLE_EVENTS) return;
    while (this.events > CONSOLE_EVENTS && this.entries.length > 1) {
      this.events -= Math.max(1, this.entries.shift()!.events.length);
    }
  };

  clear(): void {
    this.entries = [];
    this.events = 0;
  }

  /** The events behind a position, the newest of them. */
  after(seq: number): JournalRowFields[] {
    const rows: JournalRowFields[] = [];
    for (let i = this.entries.length - 1; i >= 0 && rows.length < CONSOLE_EVENTS; i--) {
      const entry = this.entries[i]!;
      if (entry.seq <= seq) break;
      for (const event of [...entry.events].reverse()) rows.push(rowOf(entry.seq, event));
    }
    return rows.reverse().slice(-CONSOLE_EVENTS);
  }

  /** One entry with the receivers of its events, and in which form; undefined where it is not kept. */
  entry(seq: number): OpenedEntryRow | undefined {
    const kept = this.entries.find((one) => one.seq === seq);
    if (!kept) return undefined;
    const events = kept.events.slice(0, CONSOLE_NAMES).map((event) => ({
      ...rowOf(seq, event),
      variants: event.shared.made.map(([variant, { json, queues }]) => ({
        ...{ variant: nameOf(variant), bytes: json.length, queues },
      })),
    }));
    return { ...kept, events };
  }
}

function rowOf(
  seq: number,
  { shared, subscribers }: WatchedEntry['events'][number],
): JournalRowFields {
  const { audience, type } = shared.event;
  const users = audience.to === 'users' ? audience.users : subscribers;
  return {
    ...{ seq, event_type: type, audience: audience.to },
    stream_id: audience.to === 'subscribers' ? audience.channel : null,
    users: (users ?? []).slice(0, CONSOLE_NAMES),
    user_count: users?.length ?? null,
  };
}

/** The number that an id is or begins with: what follows may be the name of a topic, or an id that opens a queue. */
function numberOf(id: string): string {
  const number = /^\d+(?=$|:)/.exec(id)?.[0] ?? '';
  return number === id ? id : `${number}…`;
}

/** Names that renderers give variants separate their parts by control characters. */
function nameOf(variant: string): string {
  return variant
    .replaceAll(/[\u0000-\u001f]+/g, ' ')
    .slice(0, 100)
    .toWellFormed();
}
