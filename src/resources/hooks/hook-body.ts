import { isUtf8 } from 'node:buffer';
import { Payload } from '../../services/hooks/payload.js';

/** Deepest nesting of a payload: no service comes near it. */
const MAX_DEPTH = 32;

/**
 * The payload in a body: JSON, or a form with JSON in its field `payload`, or else the fields of the form. Undefined for
 * anything else.
 */
export function readPayload(mediaType: string, body: Buffer): Payload | undefined {
  if (!isUtf8(body)) return undefined;
  const text = body.toString('utf8');
  if (/^application\/x-www-form-urlencoded\b/i.test(mediaType.trim())) {
    const fields = new URLSearchParams(text);
    const payload = fields.get('payload');
    return payload === null ? new Payload(Object.fromEntries(fields)) : parsed(payload);
  }
  return parsed(text);
}

function parsed(text: string): Payload | undefined {
  if (depthOf(text) > MAX_DEPTH) return undefined;
  try {
    return new Payload(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** How deep lists and objects are nested; of text that is not JSON the result does not matter. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (quoted) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) quoted = true;
    else if (code === 91 || code === 123) deepest = Math.max(deepest, ++depth);
    else if (code === 93 || code === 125) depth--;
  }
  return deepest;
}
