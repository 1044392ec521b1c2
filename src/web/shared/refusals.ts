import { ParleyError } from '../../client/index.js';
import type { Message } from '../../languages/catalogs.js';
import { refusalSayer, type SayRefusal } from '../../languages/refusals.js';

/*
 * What refusals say in the language of the page. Their messages are as long as all others together, and most visits meet
 * none: they are loaded with the first, from where the server's page says (`src/resources/pages/layout.ts`).
 */
const PLACE = 'parley-refusals';

interface Module {
  readonly default: { readonly refusals: Readonly<Record<string, Message>> };
  readonly wordings: Readonly<Record<string, string>>;
}

let loading: Promise<SayRefusal> | undefined;

/** The error with a message for the reader; as it is where the messages cannot be loaded. */
export async function inLanguage(error: ParleyError): Promise<ParleyError> {
  const { status, code, message: msg, reply, retryAfter } = error;
  try {
    const say = await (loading ??= load());
    const fields = retryAfter === undefined ? reply : { 'retry-after': retryAfter, ...reply };
    return new ParleyError(status, code, say({ code, msg, fields }), reply, retryAfter);
  } catch {
    // The next one may find the server there.
    loading = undefined;
    return error;
  }
}

async function load(): Promise<SayRefusal> {
  const place = document.querySelector<HTMLMetaElement>(`meta[name="${PLACE}"]`)!.content;
  const { default: areas, wordings } = (await import(place)) as Module;
  return refusalSayer({ messages: areas.refusals, wordings });
}
