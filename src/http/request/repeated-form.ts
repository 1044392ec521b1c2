/*
 * Clients repeat their keep-alives word for word, all clients of a kind the same ones. From the second time on, such a
 * form is neither read nor decoded again.
 */
import { readForm, type Form, type RawParameters } from './form.js';

/** Fields that were sent before, with what they were last decoded to: neither ever changes. */
export class RepeatedFields extends Map<string, string> {
  /** Whose result `decoded` is. */
  decoder: object | null = null;
  decoded: unknown;
}

/** Longer forms are not expected again, bytes: a keep-alive has about 80. */
const MAX_BYTES = 256;
/** Forms that are remembered, each in a place that its bytes give: more than there are kinds of clients. */
const PLACES = 256;

interface Remembered {
  readonly contentType: string;
  readonly bytes: string;
  /** Null the first time. */
  readonly form: Form | null;
}

const remembered: (Remembered | undefined)[] = Array.from({ length: PLACES }, () => undefined);

/**
 * As `readForm`, for endpoints whose forms are repeated (`isRepeated`). The form must not be changed.
 * @throws ApiError as there
 */
export function readRepeatedForm(contentType: string, body: Buffer): Form {
  const { length } = body;
  if (length === 0 || length > MAX_BYTES) return readForm(contentType, body);
  const bytes = body.toString('latin1');
  const place = (length * 31 + body[length - 1]! + body[length >> 1]! * 7) % PLACES;
  const last = remembered[place];
  const isKnown = last !== undefined && last.bytes === bytes && last.contentType === contentType;
  if (isKnown && last.form !== null) return last.form;
  const read = readForm(contentType, body);
  const form = isKnown ? withoutChanges(read) : null;
  remembered[place] = { contentType, bytes, form };
  return form ?? read;
}

/** The form with fields that are remembered; null where something in it could be changed. */
function withoutChanges({ fields, files }: Form): Form | null {
  if (files.length > 0 || !areTexts(fields)) return null;
  return { fields: new RepeatedFields(fields), files };
}

function areTexts(fields: RawParameters | null): fields is ReadonlyMap<string, string> {
  return fields !== null && [...fields.values()].every((value) => typeof value === 'string');
}
