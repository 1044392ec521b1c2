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
  const text = await bounded(response);
  return { status: response.status, body: parsed(text) };
}

async function bounded(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > MAX_REPLY) throw new Error('The answer is too long');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
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
