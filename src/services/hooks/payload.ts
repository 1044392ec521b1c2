import { MAX_LIST_ITEMS, MAX_MESSAGE_LENGTH } from '../../../schemas/limits.js';

/** JSON up to this length is indented, UTF-16 units. */
const MAX_INDENTED = 16 * 1024;

/** Of a longer text only the beginning is looked at: no message has room for more. UTF-16 units. */
export const MAX_PAYLOAD_TEXT = 2 * MAX_MESSAGE_LENGTH;

/** What a service sent does not have the form that its documentation says. */
export class AnomalousPayload extends Error {}

/** The value at a place of a payload, which may be missing; outsiders make it, so nothing about it is certain. */
export class Payload {
  constructor(private readonly value: unknown) {}

  /** The value at a path of names. */
  get(...path: readonly string[]): Payload {
    let value = this.value;
    for (const name of path) {
      const holder = value as Record<string, unknown> | null | undefined;
      value =
        typeof holder === 'object' && holder !== null && Object.hasOwn(holder, name)
          ? holder[name]
          : undefined;
    }
    return new Payload(value);
  }

  /** Neither missing nor null, false, zero or empty. */
  get isThere(): boolean {
    return Boolean(this.value) && (!Array.isArray(this.value) || this.value.length > 0);
  }

  /** @throws AnomalousPayload for anything but a text or a number */
  text(): string {
    if (typeof this.value === 'string') return wellFormed(this.value.slice(0, MAX_PAYLOAD_TEXT));
    if (typeof this.value === 'number') return String(this.value);
    throw new AnomalousPayload();
  }

  /** The text, or another where there is none. */
  textOr(fallback: string): string {
    const known = typeof this.value === 'string' || typeof this.value === 'number';
    return known && this.value !== '' ? this.text() : fallback;
  }

  /** A text, a number or a boolean as text; empty for anything else. */
  get word(): string {
    return typeof this.value === 'boolean' ? String(this.value) : this.textOr('');
  }

  /** The last line of a text that is not blank; empty where there is none. */
  get lastLine(): string {
    if (typeof this.value !== 'string') return '';
    return wellFormed(this.value.slice(-MAX_PAYLOAD_TEXT)).trim().split('\n').at(-1)!;
  }

  /** The number; 0 where there is none. */
  get number(): number {
    return typeof this.value === 'number' ? this.value : 0;
  }

  /** The first entries of a list, as many as lists may have; none where there is no list. */
  get list(): readonly Payload[] {
    if (!Array.isArray(this.value)) return [];
    return this.value.slice(0, MAX_LIST_ITEMS).map((one) => new Payload(one));
  }

  /** The members of an object; none where there is no object. */
  get members(): readonly (readonly [string, Payload])[] {
    if (typeof this.value !== 'object' || this.value === null || Array.isArray(this.value)) {
      return [];
    }
    return Object.entries(this.value).map(([name, one]) => [name, new Payload(one)] as const);
  }

  /** The whole as JSON that people can read; on one line where indenting it could make it many times as long. */
  toJson(): string {
    const plain = JSON.stringify(this.value);
    return plain.length > MAX_INDENTED ? plain : JSON.stringify(this.value, null, 2);
  }
}

/** Text without halves of characters, which cannot be part of an address. */
function wellFormed(text: string): string {
  return text.isWellFormed() ? text : text.toWellFormed();
}
