/**
 * The one error catalogue (errors.md section 3): every refusal a client can see is made here, so that
 * code, status and wording stand in one place.
 */

export type ErrorCode =
  | 'BAD_REQUEST'
  | 'REQUEST_VARIABLE_MISSING'
  | 'REQUEST_VARIABLE_INVALID'
  | 'REQUEST_CONFUSING_VAR'
  | 'INVALID_JSON'
  | 'INCOMPATIBLE_PARAMETERS'
  | 'BAD_NARROW'
  | 'BAD_EVENT_QUEUE_ID'
  | 'STREAM_DOES_NOT_EXIST'
  | 'UNAUTHORIZED_PRINCIPAL'
  | 'STREAM_WILDCARD_MENTION_NOT_ALLOWED'
  | 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'
  | 'PASSWORD_AUTH_DISABLED'
  | 'PASSWORD_RESET_REQUIRED'
  | 'AUTHENTICATION_FAILED'
  | 'UNAUTHORIZED'
  | 'USER_DEACTIVATED'
  | 'REALM_DEACTIVATED'
  | 'RATE_LIMIT_HIT'
  | 'EXPECTATION_MISMATCH'
  | 'SERVICE_UNAVAILABLE'
  | 'INTERNAL_ERROR';

/** Extra fields of an error body, beside `result`, `msg` and `code`. */
export type ErrorFields = Readonly<Record<string, unknown>>;

/** A refusal that reaches the client: thrown anywhere, written in one place by the HTTP layer. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: ErrorCode,
    message: string,
    readonly fields: ErrorFields = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'ApiError';
  }

  /** The JSON body (errors.md section 1). */
  body(): Record<string, unknown> {
    return { result: 'error', msg: this.message, code: this.code, ...this.fields };
  }
}

/** The default refusal: 400 `BAD_REQUEST`. */
export function badRequest(message: string, status = 400): ApiError {
  return new ApiError(status, 'BAD_REQUEST', message);
}

export function missingArgument(name: string): ApiError {
  return new ApiError(400, 'REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, {
    var_name: name,
  });
}

export function confusingArguments(first: string, second: string): ApiError {
  return new ApiError(
    400,
    'REQUEST_CONFUSING_VAR',
    `Can't decide between '${first}' and '${second}' arguments`,
    { var_name1: first, var_name2: second },
  );
}

export function incompatibleParameters(names: readonly string[]): ApiError {
  return new ApiError(
    400,
    'INCOMPATIBLE_PARAMETERS',
    `Unsupported parameter combination: ${names.join(', ')}`,
    { parameters: names },
  );
}

export function badNarrow(desc: string): ApiError {
  return new ApiError(400, 'BAD_NARROW', `Invalid narrow operator: ${desc}`, { desc });
}

/** Unknown, expired, deleted, overflowed or another user's queue; never says which (events.md section 2.6). */
export function badEventQueueId(queueId: string): ApiError {
  return new ApiError(400, 'BAD_EVENT_QUEUE_ID', `Bad event queue ID: ${queueId}`, {
    queue_id: queueId,
  });
}

export function noSuchChannelId(streamId: number): ApiError {
  return new ApiError(
    400,
    'STREAM_DOES_NOT_EXIST',
    `Channel with ID '${streamId}' does not exist`,
    { stream_id: streamId },
  );
}

export function noSuchChannelName(name: string): ApiError {
  return new ApiError(400, 'STREAM_DOES_NOT_EXIST', `Channel '${name}' does not exist`, {
    stream: name,
  });
}

/** A role is required: `Must be an organization {who}`. */
export function mustBe(who: 'owner' | 'administrator' | 'member'): ApiError {
  return new ApiError(400, 'UNAUTHORIZED_PRINCIPAL', `Must be an organization ${who}`);
}

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="zulip"' };

/** Failed Basic authentication: always `UNAUTHORIZED`, with the specific text (errors.md section 4.1). */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', message, {}, BASIC_CHALLENGE);
}

/** Refused key fetch (errors.md section 4.3): 401 without a challenge. */
export function loginRefused(
  code:
    | 'AUTHENTICATION_FAILED'
    | 'USER_DEACTIVATED'
    | 'REALM_DEACTIVATED'
    | 'PASSWORD_AUTH_DISABLED'
    | 'PASSWORD_RESET_REQUIRED',
): ApiError {
  const texts = {
    AUTHENTICATION_FAILED: 'Your username or password is incorrect',
    USER_DEACTIVATED: 'Account is deactivated',
    REALM_DEACTIVATED: 'This organization has been deactivated',
    PASSWORD_AUTH_DISABLED: 'Password authentication is disabled in this organization',
    PASSWORD_RESET_REQUIRED: 'Your password has been disabled and needs to be reset',
  };
  return new ApiError(401, code, texts[code]);
}

/** 429; `seconds` may be fractional (errors.md section 7). */
export function rateLimitHit(seconds: number, headers: Record<string, string> = {}): ApiError {
  return new ApiError(
    429,
    'RATE_LIMIT_HIT',
    'API usage exceeded rate limit',
    { 'retry-after': seconds },
    { 'Retry-After': String(seconds), ...headers },
  );
}

export function notFound(): ApiError {
  return badRequest('Not Found', 404);
}

export function methodNotAllowed(allowed: readonly string[]): ApiError {
  return new ApiError(
    405,
    'BAD_REQUEST',
    'Method Not Allowed',
    { allowed_methods: allowed },
    { Allow: allowed.join(', ') },
  );
}

/** A body or query that cannot be read: not UTF-8, a broken escape, a broken multipart body. */
export function malformedPayload(): ApiError {
  return badRequest('Malformed payload');
}

/** A body that says it is JSON and is not. */
export function invalidJson(): ApiError {
  return new ApiError(400, 'INVALID_JSON', 'Malformed JSON');
}

export function tooManyFields(limit: number): ApiError {
  return badRequest(`Too many form fields (limit: ${limit})`);
}

/** A bot on an endpoint for people (errors.md section 9). */
export function botsNotAccepted(): ApiError {
  return badRequest('This endpoint does not accept bot requests.');
}

/** A guest on an endpoint for members (errors.md section 9). */
export function guestsNotAllowed(): ApiError {
  return badRequest('Not allowed for guest users');
}

export function entityTooLarge(): ApiError {
  return badRequest('Request entity too large', 413);
}

/** Draining, starting, or the store does not answer: clients retry the same queue (errors.md section 8). */
export function serviceUnavailable(message: string, retryAfterSeconds = 1): ApiError {
  return new ApiError(
    503,
    'SERVICE_UNAVAILABLE',
    message,
    {},
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

/** An unexpected fault; nothing internal reaches the client. */
export function internalError(): ApiError {
  return new ApiError(500, 'INTERNAL_ERROR', 'Internal server error');
}
