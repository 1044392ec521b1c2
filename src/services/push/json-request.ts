import { boundedText } from '../bounded-reply.js';

/** A service that does not answer must not hold up what is behind it for long. Milliseconds. */
const TIMEOUT_MS = 20_000;
/** Answers of push services have some hundred bytes; more is none. */
const MAX_REPLY = 64 * 1024;

/** An answer, whatever its status. */
export interface JsonReply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Posts to a push service. @throws Error where there is no answer in time, or none that can be read */
export async function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<JsonReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
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
