/**
 * The events all targets carry. Ours are captured from the real server, so that the floor and the
 * peers move the same bytes; the built-in ones serve runs without it.
 */

/** An event as it appears on the wire; `id` is the queue's cursor. */
export interface WireEvent {
  readonly id?: number;
  readonly type: string;
  readonly [field: string]: unknown;
}

/** What a server said once, for others to repeat. */
export interface ExchangeSample {
  /** Event with the mark {@link MARK_PLACE} and without an id. */
  readonly event: string;
  /** Reply headers besides those every server sets itself. */
  readonly headers: readonly (readonly [string, string])[];
}

/** Where a sample event has its number. Six digits, so that all events have the same length. */
export const MARK_PLACE = '@000000@';
const MARK_DIGITS = 6;

/** A mark as messages carry it. */
export function markDigits(mark: number): string {
  return String(mark).padStart(MARK_DIGITS, '0');
}

const CONTENT_MARK = /bench:(\d{6,}):/;

/** Number of a marked event, or -1 for an event the bench did not cause. */
export function markOf(event: WireEvent): number {
  if (event.type === 'message') {
    const { content } = event.message as { content: string };
    const found = CONTENT_MARK.exec(content);
    return found ? Number(found[1]) : -1;
  }
  if (event.type === 'user_settings' && event.property === SETTING) return Number(event.value) - 1;
  return -1;
}

/** The setting whose values number personal events: any positive integer is allowed. */
export const SETTING = 'email_notifications_batching_period_seconds';
/** Its value for a mark; the setting ends at a week in seconds. */
export function settingValue(mark: number): number {
  return (mark % 600_000) + 1;
}

/** Length of a chat message in the bench: what people write in one line. */
const FILLER = 'The quick brown fox jumps over the lazy dog, and then again, to be sure.';

/** The content of a message; `mark` is its number in {@link markDigits}. */
export function messageContent(mark: string): string {
  return `bench:${mark}: ${FILLER}`;
}

const MESSAGE: WireEvent = {
  type: 'message',
  message: {
    id: 123456,
    sender_id: 9,
    content: messageContent(markDigits(0)),
    recipient_id: 12,
    timestamp: 1_767_225_600,
    client: 'parley-bench',
    subject: 'load',
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    sender_full_name: 'Owner',
    sender_email: 'owner@bench.invalid',
    sender_realm_str: '',
    display_recipient: 'bench',
    type: 'stream',
    stream_id: 3,
    avatar_url: null,
    content_type: 'text/x-markdown',
  },
  flags: [],
};

const PERSONAL: WireEvent = {
  type: 'user_settings',
  op: 'update',
  property: SETTING,
  value: 0,
};

const HEADERS: ExchangeSample['headers'] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'private, no-store'],
];

/** Samples for runs without our server. */
export const BUILT_IN = {
  message: sampleOf(MESSAGE, HEADERS),
  personal: sampleOf(PERSONAL, HEADERS),
} as const;

/** Makes a sample of a captured event by putting the place in for its mark. */
export function sampleOf(event: WireEvent, headers: ExchangeSample['headers']): ExchangeSample {
  const { id: _id, ...rest } = event;
  const text = JSON.stringify(rest);
  const marked =
    event.type === 'message'
      ? text.replace(CONTENT_MARK, `bench:${MARK_PLACE}:`)
      : text.replace(/"value":\d+/, `"value":"${MARK_PLACE}"`);
  return { event: marked, headers };
}

/** Writes sample events with numbers and ids; one concatenation each. */
export class EventWriter {
  private readonly before: string;
  private readonly after: string;
  private readonly personal: boolean;

  constructor(sample: ExchangeSample) {
    this.personal = sample.event.includes(`"${MARK_PLACE}"`);
    const [before, after] = sample.event.split(this.personal ? `"${MARK_PLACE}"` : MARK_PLACE);
    if (after === undefined) throw new Error('The sample event has no place for its mark');
    this.before = before!;
    this.after = after.slice(0, -1);
  }

  /** JSON of event `mark` with the id `id`. */
  write(mark: number, id: number): string {
    return `${this.unnumbered(mark)},"id":${id}}`;
  }

  /** JSON of event `mark` without an id, for servers that number nothing. */
  plain(mark: number): string {
    return `${this.unnumbered(mark)}}`;
  }

  private unnumbered(mark: number): string {
    const text = this.personal ? String(settingValue(mark)) : markDigits(mark);
    return this.before + text + this.after;
  }
}
