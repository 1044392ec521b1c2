import { countRead, isLongRound } from '../../turns/read-rounds.js';
import type { Account } from '../../turns/fair-queue.js';
import { ticks, ticksSince } from '../reply/reply-counts.js';
import { keptBody } from './body.js';
import { LARGE_FORM_BYTES, readForm, readInTurns, type Form } from './form.js';

/** Reading a body of this size takes some 10 µs at worst, so that a thousand at once need no measure. Bytes. */
const SHORT_BYTES = 1024;

/** Whose body it is, and what it says of itself. */
interface Sender {
  readonly contentType: string;
  readonly user: Account;
}

/**
 * The form of a body: at once where that is short, as nearly always; in turns where the body is large, or where this
 * round of the event loop has read for long already, because many came together.
 * @param body valid during the call, or until the promise settles
 * @throws ApiError as `readForm`
 */
export function formOf(sender: Sender, body: Buffer, read = readForm): Form | Promise<Form> {
  const { contentType, user } = sender;
  if (body.length <= SHORT_BYTES) return read(contentType, body);
  const start = ticks();
  if (body.length > LARGE_FORM_BYTES || isLongRound(start)) {
    return readInTurns(contentType, keptBody(body), user);
  }
  try {
    return read(contentType, body);
  } finally {
    countRead(start, ticksSince(start));
  }
}

/** A body as it came, as a file; a copy, because the bytes are valid during the call only. */
export function rawForm(mediaType: string, body: Buffer): Form {
  return { fields: null, files: [{ field: '', name: '', mediaType, data: Buffer.from(body) }] };
}
