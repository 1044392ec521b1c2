/** The codes of refusals (errors.md#codes); `errors.ts` says what each means. */
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
  | 'INVITATION_FAILED'
  | 'STREAM_WILDCARD_MENTION_NOT_ALLOWED'
  | 'TOPIC_WILDCARD_MENTION_NOT_ALLOWED'
  | 'PASSWORD_AUTH_DISABLED'
  | 'PASSWORD_RESET_REQUIRED'
  | 'TWO_FACTOR_REQUIRED'
  | 'TWO_FACTOR_SETUP_REQUIRED'
  | 'AUTHENTICATION_FAILED'
  | 'UNAUTHORIZED'
  | 'CSRF_FAILED'
  | 'USER_DEACTIVATED'
  | 'REALM_DEACTIVATED'
  | 'RATE_LIMIT_HIT'
  | 'EXPECTATION_MISMATCH'
  | 'CANNOT_ADMINISTER_CHANNEL'
  | 'CHANNEL_ALREADY_EXISTS'
  | 'CANNOT_SET_TOPICS_POLICY'
  | 'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED'
  | 'SYSTEM_GROUP_REQUIRED'
  | 'CANNOT_DEACTIVATE_GROUP_IN_USE'
  | 'CANNOT_DEACTIVATE_LAST_USER'
  | 'BAD_IMAGE'
  | 'REACTION_ALREADY_EXISTS'
  | 'REACTION_DOES_NOT_EXIST'
  | 'REALM_UPLOAD_QUOTA'
  | 'INVALID_PUSH_DEVICE_TOKEN'
  | 'NO_ACTIVE_PUSH_DEVICE'
  | 'PUSH_SERVICE_NOT_CONFIGURED'
  | 'MISSING_HTTP_EVENT_HEADER'
  | 'UNSUPPORTED_WEBHOOK_EVENT_TYPE'
  | 'ANOMALOUS_WEBHOOK_PAYLOAD'
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

  /** The JSON body (errors.md#envelope). */
  body(): Record<string, unknown> {
    return { result: 'error', msg: this.message, code: this.code, ...this.fields };
  }
}

/** Whether an error may say something of what others did: not that a limit is reached, or that the server fails. */
export function restsOnState(error: unknown): boolean {
  return !(error instanceof ApiError) || (error.status < 500 && error.status !== 429);
}

/** The same refusal with status 400, where its own would mean something else to the client. */
export function asBadRequest({ code, message, fields }: ApiError): ApiError {
  return new ApiError(400, code, message, fields);
}

/** The default refusal: 400 `BAD_REQUEST`. */
export function badRequest(message: string, status = 400): ApiError {
  return new ApiError(status, 'BAD_REQUEST', message);
}
