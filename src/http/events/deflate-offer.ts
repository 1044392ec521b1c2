/** The extension of RFC 7692. */
const DEFLATE = 'permessage-deflate';

/**
 * Of its parameters, what an offer may give as their values; null: nothing (RFC 7692, section 7.1). Without
 * `server_max_window_bits`: whoever accepts that must keep to it, and the native layer compresses with the whole window.
 */
const VALUES: Readonly<Record<string, RegExp | null>> = {
  server_no_context_takeover: null,
  client_no_context_takeover: null,
  // A number, or that a number may be named in the answer.
  client_max_window_bits: /^(?:|[89]|1[0-5])$/,
};

/**
 * The first offer of `permessage-deflate` in a `Sec-WebSocket-Extensions` header that may be accepted, as the native layer
 * reads it; an empty text where there is none. One with a parameter that is unknown, given twice, or has a value that it
 * cannot have, is declined, and the next one counts.
 */
export function deflateOffer(header: string): string {
  for (const offer of split(header, ',')) {
    const [name, ...parameters] = split(offer, ';').map((part) => part.trim());
    if (name !== DEFLATE) continue;
    const read = readParameters(parameters);
    if (read) return [DEFLATE, ...read].join('; ');
  }
  return '';
}

/** The parameters in plain form; null where one of them cannot be accepted. */
function readParameters(parameters: readonly string[]): string[] | null {
  const read = new Map<string, string>();
  for (const parameter of parameters) {
    const [, name = '', quoted, token] = PARAMETER.exec(parameter) ?? [];
    if (read.has(name) || !Object.hasOwn(VALUES, name)) return null;
    const value = quoted ?? token;
    const allowed = VALUES[name] ?? null;
    const isAllowed =
      allowed === null ? value === undefined : quoted !== '' && allowed.test(value ?? '');
    if (!isAllowed) return null;
    read.set(name, value === undefined ? name : `${name}=${value}`);
  }
  return [...read.values()];
}

/** A name, alone or with a token or a quoted text without escapes: no value that counts has one. */
const PARAMETER = /^([\w-]+)(?:\s*=\s*(?:"([^"\\]*)"|([\w-]+)))?$/;

/** The parts of a text between separators that are not quoted. */
function split(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const one = text[i];
    if (isQuoted && one === '\\') i++;
    else if (one === '"') isQuoted = !isQuoted;
    else if (one === separator && !isQuoted) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}
