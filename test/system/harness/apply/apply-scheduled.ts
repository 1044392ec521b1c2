import type { Body, Snapshot, WireEvent } from '../client.js';

/** The two kinds of scheduled things, as snapshot and events name them. */
const KINDS = {
  scheduled_messages: { one: 'scheduled_message', id: 'scheduled_message_id' },
  reminders: { one: 'reminder', id: 'reminder_id' },
} as const;

type Kind = keyof typeof KINDS;

/** `scheduled_messages` and `reminders` of a snapshot, kept current by their events. */
export class ScheduledState {
  private readonly lists: Record<Kind, Map<number, Body>>;

  constructor(snapshot: Snapshot) {
    const rows = (kind: Kind): Map<number, Body> =>
      new Map(
        ((snapshot[kind] as Body[] | undefined) ?? []).map((row) => [
          Number(row[KINDS[kind].id]),
          row,
        ]),
      );
    this.lists = { scheduled_messages: rows('scheduled_messages'), reminders: rows('reminders') };
  }

  /** @throws Error for an event about something unknown, or known already */
  apply(event: WireEvent): void {
    if (!(event.type in KINDS)) return;
    const kind = event.type as Kind;
    const { one, id } = KINDS[kind];
    const list = this.lists[kind];
    const expect = (known: boolean, key: number): void => {
      if (list.has(key) !== known) throw new Error(`${kind} ${String(event.op)} of ${key}`);
    };
    if (event.op === 'add') {
      for (const row of event[kind] as Body[]) {
        expect(false, Number(row[id]));
        list.set(Number(row[id]), row);
      }
    } else if (event.op === 'update') {
      const row = event[one] as Body;
      expect(true, Number(row[id]));
      list.set(Number(row[id]), row);
    } else {
      expect(true, Number(event[id]));
      list.delete(Number(event[id]));
    }
  }

  /** In the order of a snapshot: by delivery time. */
  fields(): Body {
    const time = (row: Body): number => Number(row.scheduled_delivery_timestamp);
    return Object.fromEntries(
      (Object.keys(KINDS) as Kind[]).map((kind) => {
        const key = (row: Body): number => Number(row[KINDS[kind].id]);
        const rows = [...this.lists[kind].values()];
        return [kind, rows.sort((a, b) => time(a) - time(b) || key(a) - key(b))];
      }),
    );
  }
}
