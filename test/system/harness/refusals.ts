import type { Reply } from './client.js';

/** The codes of errors.md section 3 that the endpoints so far can give. */
const CODES = new Set([
  'BAD_REQUEST',
  'REQUEST_VARIABLE_MISSING',
  'REQUEST_VARIABLE_INVALID',
  'REQUEST_CONFUSING_VAR',
  'INVALID_JSON',
  'INCOMPATIBLE_PARAMETERS',
  'BAD_NARROW',
  'BAD_EVENT_QUEUE_ID',
  'STREAM_DOES_NOT_EXIST',
  'UNAUTHORIZED_PRINCIPAL',
  'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  'EXPECTATION_MISMATCH',
  'SYSTEM_GROUP_REQUIRED',
  'AUTHENTICATION_FAILED',
  'UNAUTHORIZED',
  'RATE_LIMIT_HIT',
]);

/** Wordings of errors.md and of the endpoint pages; `.` and the like stand for themselves. */
const WORDINGS: readonly RegExp[] = [
  // errors.md sections 3 to 6 and 8
  /^Missing '[^']+' argument\.?$/,
  /^Bad value for '[^']+': .*$/s,
  /^Can't decide between '[^']+' and '[^']+' arguments$/,
  /^Malformed (JSON|payload)$/,
  /^Not Found$/,
  /^Method Not Allowed$/,
  /^Request entity too large$/,
  /^Bad event queue ID: .*$/s,
  /^Event \d+ was not in this queue$/,
  /^Operator .* not supported\.$/s,
  /^Invalid narrow operator: .*$/s,
  /^Unsupported parameter combination: .*$/,
  /^.+ is not valid JSON$/s,
  /^.+ is not an? (string|boolean|integer|float|list|dict|date|URL|valid hex color code)$/s,
  /^.+ is not a recognized time zone$/s,
  /^.+ is not a string or (an integer list|integer)$/s,
  /^.+ cannot be blank$/s,
  /^.+ is too (short\.|small|large)$/s,
  /^.+ is too long( \(limit: \d+ characters\))?$/s,
  /^.+ has incorrect length \d+; should be \d+$/s,
  /^.+ should have exactly \d+ items$/s,
  /^.+ key is missing from .+$/s,
  /^Argument ".+" at .+ is unexpected$/s,
  /^Invalid .+$/s,
  // kinds of errors.md section 5.3 that it has no text for
  /^.+ is not an? .+ or (an? )?.+$/s,
  /^.+ is too long \(limit: \d+ items\)$/s,
  // The text of a message has words of its own for this.
  /^(?!content )\S+ must not contain null bytes$/s,
  /^Too many messages \(maximum \d+\)\.$/,
  /^Too many form fields \(limit: \d+\)$/,
  // errors.md section 4
  /^Not logged in: API authentication or user session required$/,
  /^This endpoint requires HTTP basic authentication\.$/,
  /^Malformed API key$/,
  /^Your username or password is incorrect$/,
  /^Enter a valid email address\.$/,
  // errors.md sections 5.5, 9 and 10
  /^No such user$/,
  /^User is deactivated$/,
  /^(No new data supplied|Nothing to change)$/,
  /^Topic must not contain null bytes$/,
  /^Message must not (be empty|contain null bytes)$/,
  /^Message must have recipients$/,
  /^Missing (topic|channel|stream_id)$/,
  /^Missing 'to' argument$/,
  /^Empty 'to' list$/,
  /^Must be an organization (owner|administrator|member)$/,
  /^Insufficient permission$/,
  /^Not allowed for guest users$/,
  /^User not authorized for this query$/,
  /^Wrong password!$/,
  /^New password is too weak!$/,
  /^The password is too weak\.?$/,
  /^Please fill out all fields\.$/,
  /^Email address changes are disabled in this organization\.$/,
  /^Name too (short|long)!$/,
  /^Already has an account\.$/,
  /^Unknown subscription property: .*$/s,
  /^Not subscribed to channel id \d+$/,
  /^Channel (with ID )?'.*' does not exist$/s,
  /^Flag not editable: '.*'$/s,
  /^Presence is not supported for bot users\.$/,
  /^No presence data for .*$/s,
  // endpoints.md
  /^Bad name or username$/,
  /^Email '.*' already in use$/s,
  /^Widgets are not supported$/,
  /^Expected exactly one channel$/,
  /^Recipient lists may contain emails or user IDs, but not both\.$/,
  /^Too many messages requested \(maximum 5000\)\.$/,
  /^The anchor can only be excluded at an end of the range$/,
  /^Channel\(s\) \(.*\) do not exist$/s,
  /^User not authorized to execute queries on behalf of '.*'$/s,
];

/**
 * What is wrong with a reply to a bad request, or null: never a fault of the server, and a body as
 * errors.md section 1 has it.
 */
export function objection(reply: Reply): string | null {
  const { status, body, headers } = reply;
  if (status === 200) return body.result === 'success' ? null : 'status 200 without success';
  if (status < 400 || status >= 500) return `status ${status}`;
  if (body.result !== 'error') return 'an error without result "error"';
  if (!/^application\/json\b/.test(headers['content-type'] ?? '')) return 'not declared as JSON';
  const { msg, code } = body;
  if (typeof msg !== 'string' || msg === '') return 'no msg';
  if (typeof code !== 'string' || !CODES.has(code)) return `unknown code ${String(code)}`;
  if (status === 401 && headers['www-authenticate'] === undefined && code === 'UNAUTHORIZED') {
    return 'no WWW-Authenticate';
  }
  if (!WORDINGS.some((wording) => wording.test(msg)))
    return `unknown wording: ${msg.slice(0, 200)}`;
  return null;
}
