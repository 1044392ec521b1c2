import { fetch } from '../platform/network.js';
import { timeoutSignal } from '../platform/timers.js';

/** A service that does not answer must not hold up what is behind it for long. Milliseconds. */
const TIMEOUT_MS = 20_000;
/** Answers have some kilobytes at most; more is none. */
const MAX_REPLY = 64 * 1024;

/** An answer, whatever its status. */
export interface JsonReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts to another service. @throws Error where there is no answer in time, or one that is too long */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs = TIMEOUT_MS,
): Promise<JsonReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: timeoutSignal(timeoutMs),
  });
  const text = await boundedText(response, MAX_REPLY);
  return { status: response.status, body: parsed(text) };
}

/** Pages of errors that are no JSON are empty objects: the status says what there is to know. */
function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Below.
  }
  return {};
}

/** The text of a reply of another server. @throws Error for more than so many bytes */
export async function boundedText(response: Response, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > most) throw new Error('The answer is too long');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}
