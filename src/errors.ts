/**
 * The error catalogue (errors.md#codes): every code with its status and fields, and the wordings of those
 * codes. Only this file makes an `ApiError`. The wording of a plain `BAD_REQUEST`, and of most that are
 * `UNAUTHORIZED` or `SERVICE_UNAVAILABLE`, stands with the rule that refuses.
 */

import { EMPTY_TOPIC_DISPLAY_NAME } from '../schemas/limits.js';
import type { ErrorCode } from './error-codes.js';

export type { ErrorCode };

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

/** The default refusal: 400 `BAD_REQUEST`. */
export function badRequest(message: string, status = 400): ApiError {
  return new ApiError(status, 'BAD_REQUEST', message);
}

/** A webhook without the header that says which event it is. */
export function missingEventHeader(header: string): ApiError {
  const text = `Missing the HTTP event header '${header}'`;
  return new ApiError(400, 'MISSING_HTTP_EVENT_HEADER', text, { header });
}

/** A webhook that lacks what its service always sends. */
export function anomalousPayload(webhook_name: string): ApiError {
  const text = `Unable to parse request: Did ${webhook_name} generate this event?`;
  return new ApiError(400, 'ANOMALOUS_WEBHOOK_PAYLOAD', text, { webhook_name });
}

/** An event of a service that makes no message; no fault, so that the service goes on sending. */
export function unsupportedEvent(webhook_name: string, event_type: string): ApiError {
  const text = `The '${event_type}' event isn't currently supported by the ${webhook_name} webhook; ignoring`;
  return new IgnoredEvent(200, 'UNSUPPORTED_WEBHOOK_EVENT_TYPE', text, {
    webhook_name,
    event_type,
  });
}

class IgnoredEvent extends ApiError {
  override body(): Record<string, unknown> {
    return { ...super.body(), result: 'success' };
  }
}

/** A `local_id` that named another message of the same queue before. */
export function localIdReused(localId: string): ApiError {
  return badRequest(`The local_id '${localId}' was already used for another message.`);
}

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

/** A whole topic that is partly too old to be moved. */
export function moveTimeLimitExceeded(
  firstAllowed: number,
  { total, allowed }: { total: number; allowed: number },
): ApiError {
  return new ApiError(
    400,
    'MOVE_MESSAGES_TIME_LIMIT_EXCEEDED',
    `You only have permission to move the ${allowed}/${total} most recent messages in this topic.`,
    {
      first_message_id_allowed_to_move: firstAllowed,
      total_messages_in_topic: total,
      total_messages_allowed_to_move: allowed,
    },
  );
}

/** Unknown, expired, deleted, overflowed or another user's queue; never says which (event-queues.md#delete-queue). */
export function badEventQueueId(queueId: string): ApiError {
  return new ApiError(400, 'BAD_EVENT_QUEUE_ID', `Bad event queue ID: ${queueId}`, {
    queue_id: queueId,
  });
}

/** No channel of this id, or none the caller may know of. */
export function noSuchChannelId(streamId: number): ApiError {
  return new ApiError(
    400,
    'STREAM_DOES_NOT_EXIST',
    `Channel with ID '${streamId}' does not exist`,
    { stream_id: streamId },
  );
}

/** No channel of this name, or none the caller may know of. */
export function noSuchChannelName(name: string): ApiError {
  return new ApiError(400, 'STREAM_DOES_NOT_EXIST', `Channel '${name}' does not exist`, {
    stream: name,
  });
}

/** The caller may not change this about the channel. */
export function cannotAdministerChannel(): ApiError {
  const text = 'You do not have permission to administer this channel.';
  return new ApiError(400, 'CANNOT_ADMINISTER_CHANNEL', text);
}

/** The name of a new channel is taken. */
export function channelAlreadyExists(name: string): ApiError {
  return new ApiError(400, 'CHANNEL_ALREADY_EXISTS', `Channel '${name}' already exists`, {
    channel_name: name,
  });
}

/** Messages of the channel have topics (specification.md#events: `empty_topic_only`). */
export function cannotSetTopicsPolicy(): ApiError {
  return new ApiError(
    400,
    'CANNOT_SET_TOPICS_POLICY',
    `To enable this configuration, all messages in this channel must be in the ${EMPTY_TOPIC_DISPLAY_NAME} topic. Consider renaming or deleting other topics.`,
  );
}

/** A role is required: `Must be an organization {who}`. */
export function mustBe(who: 'owner' | 'administrator' | 'member'): ApiError {
  return new ApiError(400, 'UNAUTHORIZED_PRINCIPAL', `Must be an organization ${who}`);
}

/** Somebody on whose behalf the caller acts is not an active user. */
export function unauthorizedPrincipal(principal: number | string): ApiError {
  const text = `User not authorized to execute queries on behalf of '${principal}'`;
  return new ApiError(403, 'UNAUTHORIZED_PRINCIPAL', text, { principal });
}

/** The sender may not mention everybody in a large channel or topic. */
export function wildcardNotAllowed(where: 'channel' | 'topic'): ApiError {
  const scope = where === 'channel' ? 'STREAM' : 'TOPIC';
  const text = `You do not have permission to use ${where} wildcard mentions in this ${where}.`;
  return new ApiError(400, `${scope}_WILDCARD_MENTION_NOT_ALLOWED`, text);
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

/** A setting takes system groups only. */
export function systemGroupRequired(settingName: string): ApiError {
  const text = `'${settingName}' must be a system user group.`;
  return new ApiError(400, 'SYSTEM_GROUP_REQUIRED', text, { setting_name: settingName });
}

/** What still uses a group that was to be deactivated. */
export type GroupObjection =
  | { readonly type: 'subgroup'; readonly supergroup_ids: readonly number[] }
  | {
      readonly type: 'channel';
      readonly channel_id: number;
      readonly settings: readonly string[];
    }
  | {
      readonly type: 'user_group';
      readonly group_id: number;
      readonly settings: readonly string[];
    }
  | { readonly type: 'realm'; readonly settings: readonly string[] };

/** A group that is somewhere a permission cannot be deactivated; names where. */
export function groupInUse(objections: readonly GroupObjection[]): ApiError {
  const text = 'Cannot deactivate user group in use.';
  return new ApiError(400, 'CANNOT_DEACTIVATE_GROUP_IN_USE', text, { objections });
}

/** What names deactivated groups in its permissions does not come into use; names where. */
export function deactivatedGroupInUse(objections: readonly GroupObjection[]): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'User group is deactivated.', { objections });
}

/** Somebody must remain: the last owner, or the last account at all. */
export function cannotDeactivateLastUser(isLastOwner: boolean): ApiError {
  const entity = isLastOwner ? 'organization owner' : 'user';
  return new ApiError(400, 'CANNOT_DEACTIVATE_LAST_USER', `Cannot deactivate the only ${entity}.`, {
    is_last_owner: isLastOwner,
    entity,
  });
}

/** A picture that cannot be decoded. */
export function badImage(): ApiError {
  const text = 'Could not decode image; did you upload an image file?';
  return new ApiError(400, 'BAD_IMAGE', text);
}

/** A picture of too many pixels, or that takes too much time or memory to unpack. */
export function imageTooLarge(): ApiError {
  return new ApiError(400, 'BAD_IMAGE', 'Image size exceeds limit.');
}

/** An uploaded file that is larger than its kind may be (requests.md#bodies-sizes-faults). */
export function fileTooLarge(limitMib: number): ApiError {
  return badRequest(`Uploaded file is larger than the allowed limit of ${limitMib} MiB`);
}

/** An address at which there is no uploaded file. */
export function fileNotFound(): ApiError {
  return badRequest('File not found.', 404);
}

/** A file that only people see who see a message with it. */
export function fileForbidden(): ApiError {
  return badRequest('Access denied', 403);
}

/** The organization has no room for the file. */
export function uploadQuotaExceeded(): ApiError {
  const text = "Upload would exceed your organization's upload quota.";
  return new ApiError(400, 'REALM_UPLOAD_QUOTA', text);
}

/** One person's files would take more of the organization's quota than one person may. */
export function uploadShareExceeded(limitMib: number): ApiError {
  return badRequest(`Your uploaded files may take at most ${limitMib} MiB.`);
}

/** One person's files that no message links would take too much. */
export function unclaimedUploadsExceeded(limitMib: number): ApiError {
  return badRequest(
    `Your uploaded files that no message links may take at most ${limitMib} MiB. Send or delete some first.`,
  );
}

/** The caller reacted to the message with this emoji already. */
export function reactionExists(): ApiError {
  return new ApiError(400, 'REACTION_ALREADY_EXISTS', 'Reaction already exists.');
}

/** The caller did not react to the message with this emoji. */
export function reactionMissing(): ApiError {
  return new ApiError(400, 'REACTION_DOES_NOT_EXIST', "Reaction doesn't exist.");
}

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="zulip"' };

/** Failed Basic authentication: always `UNAUTHORIZED`, with the specific text (authentication.md#basic). */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', message, {}, BASIC_CHALLENGE);
}

/** Every request in a deactivated organization (authentication.md#basic). */
export function organizationDeactivated(): ApiError {
  return unauthorized(DEACTIVATED);
}

/** A page of another site made a browser send credentials. */
export function csrfFailed(): ApiError {
  const reason = 'Origin not allowed';
  return new ApiError(403, 'CSRF_FAILED', `CSRF error: ${reason}`, { reason });
}

/** What one reads of a deactivated organization, at logins and elsewhere. */
const DEACTIVATED = 'This organization has been deactivated';

/** Refused key fetch (authentication.md#without-credentials): 401 without a challenge. */
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
    REALM_DEACTIVATED: DEACTIVATED,
    PASSWORD_AUTH_DISABLED: 'Password authentication is disabled in this organization',
    PASSWORD_RESET_REQUIRED: 'Your password has been disabled and needs to be reset',
  };
  return new ApiError(401, code, texts[code]);
}

/** The password is right, and the account needs a code besides. */
export function twoFactorRequired(): ApiError {
  const text =
    'Two-factor authentication is on: log in with the code of your authenticator app (two_factor_code)';
  return new ApiError(401, 'TWO_FACTOR_REQUIRED', text);
}

/** A login by another service that proves nothing, or nothing about anybody here. */
export function loginNotProven(message: string): ApiError {
  return new ApiError(401, 'AUTHENTICATION_FAILED', message);
}

/** A login by another service that came to no end: cancelled, too old, begun in another browser. */
export function loginNotFinished(message: string): ApiError {
  return badRequest(message);
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

/** A body or query that cannot be read: not UTF-8, a broken escape, a broken multipart body. */
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

/** An address that was not invited: why, and whether its account is deactivated. */
export type InvitationTriple = readonly [address: string, reason: string, deactivated: boolean];

/** Some or all invitations were not sent (specification.md#errors). */
export function invitationFailed(
  message: string,
  errors: readonly InvitationTriple[],
  flags: { readonly sent?: boolean; readonly dailyLimit?: boolean } = {},
): ApiError {
  return new ApiError(400, 'INVITATION_FAILED', message, {
    errors,
    sent_invitations: flags.sent ?? false,
    license_limit_reached: false,
    daily_limit_reached: flags.dailyLimit ?? false,
  });
}

/** A bot on an endpoint for people (errors.md#permission-messages). */
export function botsNotAccepted(): ApiError {
  return badRequest('This endpoint does not accept bot requests.');
}

/** A guest on an endpoint for members (errors.md#permission-messages). */
export function guestsNotAllowed(): ApiError {
  return badRequest('Not allowed for guest users');
}

/** 413: the body is longer than any may be. */
export function entityTooLarge(): ApiError {
  return badRequest('Request entity too large', 413);
}

/** Draining, starting, or the store does not answer: clients retry the same queue (requests.md#bodies-sizes-faults). */
export function serviceUnavailable(message: string, retryAfterSeconds = 1): ApiError {
  const headers = { 'Retry-After': String(retryAfterSeconds) };
  return new ApiError(503, 'SERVICE_UNAVAILABLE', message, {}, headers);
}

/** The store does not answer, or does not take commits (requests.md#bodies-sizes-faults). */
export function storeUnavailable(): ApiError {
  return serviceUnavailable('The store is not available');
}

/** A refusal that another node replied with, as it was there. */
export function refusalOfNode(status: number, body: ErrorFields): ApiError {
  return new ApiError(status, body.code as ErrorCode, String(body.msg), body);
}

/** An unexpected fault; nothing internal reaches the client. */
export function internalError(errorId: string, message = 'Internal server error'): ApiError {
  return new ApiError(500, 'INTERNAL_ERROR', message, {}, { 'X-Error-Id': errorId });
}

/** What the request needs is not in the store as it was written; the operator's log says more. */
export function damagedDocument(subject: string, errorId: string): ApiError {
  return internalError(errorId, `The stored ${subject} is damaged`);
}

/** A value that contradicts the model: its text stands under its field too (errors-by-endpoint.md#by-endpoint). */
export function invalidFields(field: string, text: string): ApiError {
  return new ApiError(400, 'BAD_REQUEST', text, { errors: { [field]: [text] } });
}

/** The push token to be removed is none of the caller's. */
export function unknownPushToken(): ApiError {
  return new ApiError(400, 'INVALID_PUSH_DEVICE_TOKEN', 'Device not recognized');
}

/** A test notification has no device to go to. */
export function noActivePushDevice(): ApiError {
  return new ApiError(400, 'NO_ACTIVE_PUSH_DEVICE', 'No active registered push device');
}

/** Nothing delivers push notifications here. */
export function pushNotConfigured(): ApiError {
  const text = 'Server is not configured to use push notification service.';
  return new ApiError(400, 'PUSH_SERVICE_NOT_CONFIGURED', text);
}
