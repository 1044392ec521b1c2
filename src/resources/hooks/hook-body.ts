import { isUtf8 } from 'node:buffer';
import { Payload } from '../../services/hooks/payload.js';
import { parseJson } from '../../services/text/json-text.js';

/**
 * The payload in a body: JSON, or a form with JSON in its field `payload`, or else the fields of the form. Undefined for
 * anything else, and for JSON nested more deeply than a parameter may be.
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
  const json = parseJson(text);
  return json && new Payload(json.value);
}
