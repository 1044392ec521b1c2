import { ApiError, badRequest } from './api-error.js';

/** A required parameter is absent. */
export function missingArgument(name: string): ApiError {
  return new ApiError(400, 'REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, {
    var_name: name,
  });
}

/** A parameter came under two of its names. */
export function confusingArguments(first: string, second: string): ApiError {
  return new ApiError(
    400,
    'REQUEST_CONFUSING_VAR',
    `Can't decide between '${first}' and '${second}' arguments`,
    { var_name1: first, var_name2: second },
  );
}

/** Two lists that are short enough each, but not together: every entry of one meets every entry of the other. */
export function tooManyPairs([first, second]: readonly [string, string], limit: number): ApiError {
  return badRequest(`Too many combinations of '${first}' and '${second}' (limit: ${limit})`);
}

/** The parameters of a request are longer than one request may have worked out. */
export function parametersTooLong(limit: number): ApiError {
  return badRequest(`Parameters are too long together (limit: ${limit} characters)`);
}

/** The messages asked for are longer than a reply may be. */
export function tooMuchText(limit: number): ApiError {
  return badRequest(
    `Too much text requested (limit: ${limit} characters). Ask for fewer messages.`,
  );
}

/** A reply would be longer than any may be. */
export function replyTooLong(limit: number): ApiError {
  return badRequest(`The reply is too long (limit: ${limit} bytes)`);
}

/** Parameters that exclude each other came together. */
export function incompatibleParameters(names: readonly string[]): ApiError {
  return new ApiError(
    400,
    'INCOMPATIBLE_PARAMETERS',
    `Unsupported parameter combination: ${names.join(', ')}`,
    { parameters: names },
  );
}

/** A term of a message search means nothing; `desc` says which or why. */
export function badNarrow(desc: string): ApiError {
  return new ApiError(400, 'BAD_NARROW', `Invalid narrow operator: ${desc}`, { desc });
}

/** What the client believed the value to be is not so: `old`, or `prev_content_sha256`. */
export function expectationMismatch(what: 'old' | 'prev_content_sha256'): ApiError {
  const text = `'${what}' value does not match the expected value.`;
  return new ApiError(400, 'EXPECTATION_MISMATCH', text);
}

/** A number or choice that cannot be one: `Bad value for '{name}': {value}` (requests.md#invalid). */
export function badValue(name: string, value: string | number): ApiError {
  const text = `Bad value for '${name}': ${value}`;
  return new ApiError(400, 'REQUEST_VARIABLE_INVALID', text, { var_name: name, bad_value: value });
}

/** 429; `seconds` may be fractional (requests.md#rate-limits). */
export function rateLimitHit(seconds: number, headers: Record<string, string> = {}): ApiError {
  return new ApiError(
    429,
    'RATE_LIMIT_HIT',
    'API usage exceeded rate limit',
    { 'retry-after': seconds },
    { 'Retry-After': String(seconds), ...headers },
  );
}

/** 404: nothing lives at the address. */
export function notFound(): ApiError {
  return badRequest('Not Found', 404);
}

/** 405: something lives at the address, but does not take the method. */
export function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError(
    405,
    'BAD_REQUEST',
    'Method Not Allowed',
    { allowed_methods: allowed },
    { Allow: allowed.join(', ') },
  );
}

/** A query with raw bytes that are not UTF-8, which the native layer does not give. */
export function malformedQuery(): ApiError {
  return badRequest('Malformed query: bytes that are not UTF-8 must be escaped');
}

/** A body that cannot be read: not UTF-8, a broken multipart body. */
export function malformedPayload(): ApiError {
  return badRequest('Malformed payload');
}

/** A body that says it is JSON and is not. */
export function invalidJson(): ApiError {
  return new ApiError(400, 'INVALID_JSON', 'Malformed JSON');
}

/** 415: a body that is neither a form nor JSON. */
export function unsupportedMediaType(mediaType: string): ApiError {
  return badRequest(`Unsupported media type: ${mediaType.slice(0, 100)}`, 415);
}

/** 415: a body that says another charset than it can be read in. */
export function unsupportedCharset(label: string): ApiError {
  return badRequest(`Unsupported charset: ${label}`, 415);
}

/** 415: a body that is compressed. */
export function unsupportedContentEncoding(coding: string): ApiError {
  const message = `Unsupported content encoding: ${coding.slice(0, 100)}`;
  return new ApiError(415, 'BAD_REQUEST', message, {}, { 'Accept-Encoding': 'identity' });
}

/** 426: a handshake of a WebSocket by another version than the one of RFC 6455. */
export function unsupportedSocketVersion(): ApiError {
  const message = 'Unsupported WebSocket version (supported: 13)';
  const headers = { 'Sec-WebSocket-Version': '13', Upgrade: 'websocket', Connection: 'Upgrade' };
  return new ApiError(426, 'BAD_REQUEST', message, {}, headers);
}

/** 416: the part of a file that is asked for lies behind its end. */
export function rangeNotSatisfiable(size: number): ApiError {
  const headers = { 'Content-Range': `bytes */${size}` };
  return new ApiError(416, 'BAD_REQUEST', 'Range not satisfiable', {}, headers);
}

/** A head that says more than one thing about where its body ends. */
export function ambiguousRequest(): ApiError {
  return badRequest('Ambiguous request head');
}

/** A form or query has more fields than any client sends. */
export function tooManyFields(limit: number): ApiError {
  return badRequest(`Too many form fields (limit: ${limit})`);
}

/** 413: the body is longer than any may be. */
export function entityTooLarge(): ApiError {
  return badRequest('Request entity too large', 413);
}

/** A value that contradicts the model: its text stands under its field too (errors-by-endpoint.md#by-endpoint). */
export function invalidFields(field: string, text: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', text, { errors: { [field]: [text] } });
}
