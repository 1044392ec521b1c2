/** What a code of the error catalogue looks like on the wire (errors.md#codes). */
export interface ErrorCodeEntry {
  readonly status: number;
  /** An example of its text. */
  readonly msg: string;
  /** Fields beside `result`, `msg` and `code`, as an example. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

const entry = (
  status: number,
  msg: string,
  fields?: Readonly<Record<string, unknown>>,
): ErrorCodeEntry => ({ status, msg, ...(fields ? { fields } : {}) });

/** Every code a client can see. */
export const ERROR_CODES: Readonly<Record<string, ErrorCodeEntry>> = {
  BAD_REQUEST: entry(400, 'Invalid channel ID'),
  REQUEST_VARIABLE_MISSING: entry(400, "Missing 'content' argument", { var_name: 'content' }),
  REQUEST_VARIABLE_INVALID: entry(400, "Bad value for 'op': begin", {
    var_name: 'op',
    bad_value: 'begin',
  }),
  REQUEST_CONFUSING_VAR: entry(400, "Can't decide between 'topic' and 'subject' arguments", {
    var_name1: 'topic',
    var_name2: 'subject',
  }),
  INVALID_JSON: entry(400, 'Malformed JSON'),
  MISSING_HTTP_EVENT_HEADER: entry(400, "Missing the HTTP event header 'x-github-event'", {
    header: 'x-github-event',
  }),
  ANOMALOUS_WEBHOOK_PAYLOAD: entry(
    400,
    'Unable to parse request: Did GitHub generate this event?',
    { webhook_name: 'GitHub' },
  ),
  UNSUPPORTED_WEBHOOK_EVENT_TYPE: entry(
    200,
    "The 'watch' event isn't currently supported by the GitHub webhook; ignoring",
    { webhook_name: 'GitHub', event_type: 'watch' },
  ),
  INCOMPATIBLE_PARAMETERS: entry(400, 'Unsupported parameter combination: anchor, message_ids', {
    parameters: ['anchor', 'message_ids'],
  }),
  BAD_NARROW: entry(400, 'Invalid narrow operator: unknown channel x', {
    desc: 'unknown channel x',
  }),
  BAD_EVENT_QUEUE_ID: entry(400, 'Bad event queue ID: fb67bf8a-c031-47cc-84cf-ed80accacda8', {
    queue_id: 'fb67bf8a-c031-47cc-84cf-ed80accacda8',
  }),
  STREAM_DOES_NOT_EXIST: entry(400, "Channel with ID '9' does not exist", { stream_id: 9 }),
  UNAUTHORIZED_PRINCIPAL: entry(400, 'Must be an organization administrator'),
  STREAM_WILDCARD_MENTION_NOT_ALLOWED: entry(
    400,
    'You do not have permission to use channel wildcard mentions in this channel.',
  ),
  TOPIC_WILDCARD_MENTION_NOT_ALLOWED: entry(
    400,
    'You do not have permission to use topic wildcard mentions in this topic.',
  ),
  PASSWORD_AUTH_DISABLED: entry(401, 'Password authentication is disabled in this organization'),
  PASSWORD_RESET_REQUIRED: entry(401, 'Your password has been disabled and needs to be reset'),
  TWO_FACTOR_REQUIRED: entry(
    401,
    'Two-factor authentication is on: log in with the code of your authenticator app (two_factor_code)',
  ),
  TWO_FACTOR_SETUP_REQUIRED: entry(
    401,
    'This organization demands two-factor authentication: log in with a browser and set it up',
  ),
  AUTHENTICATION_FAILED: entry(401, 'Your username or password is incorrect'),
  UNAUTHORIZED: entry(401, 'Invalid API key'),
  CSRF_FAILED: entry(403, 'CSRF error: Origin not allowed', { reason: 'Origin not allowed' }),
  USER_DEACTIVATED: entry(401, 'Account is deactivated'),
  REALM_DEACTIVATED: entry(401, 'This organization has been deactivated'),
  RATE_LIMIT_HIT: entry(429, 'API usage exceeded rate limit', { 'retry-after': 28.7 }),
  EXPECTATION_MISMATCH: entry(400, "'old' value does not match the expected value."),
  SYSTEM_GROUP_REQUIRED: entry(400, "'can_mention_group' must be a system user group.", {
    setting_name: 'can_mention_group',
  }),
  CANNOT_DEACTIVATE_GROUP_IN_USE: entry(400, 'Cannot deactivate user group in use.', {
    objections: [{ type: 'realm', settings: ['can_invite_users_group'] }],
  }),
  CANNOT_DEACTIVATE_LAST_USER: entry(400, 'Cannot deactivate the only organization owner.', {
    is_last_owner: true,
    entity: 'organization owner',
  }),
  MOVE_MESSAGES_TIME_LIMIT_EXCEEDED: entry(
    400,
    'You only have permission to move the 3/5 most recent messages in this topic.',
    {
      first_message_id_allowed_to_move: 123,
      total_messages_in_topic: 5,
      total_messages_allowed_to_move: 3,
    },
  ),
  CANNOT_ADMINISTER_CHANNEL: entry(400, 'You do not have permission to administer this channel.'),
  CHANNEL_ALREADY_EXISTS: entry(400, "Channel 'general' already exists", {
    channel_name: 'general',
  }),
  CANNOT_SET_TOPICS_POLICY: entry(
    400,
    'To enable this configuration, all messages in this channel must be in the general chat topic. Consider renaming or deleting other topics.',
  ),
  REACTION_ALREADY_EXISTS: entry(400, 'Reaction already exists.'),
  REACTION_DOES_NOT_EXIST: entry(400, "Reaction doesn't exist."),
  INVITATION_FAILED: entry(400, "We weren't able to invite anyone.", {
    daily_limit_reached: false,
    errors: [['hamlet@example.com', 'Already has an account.', false]],
    license_limit_reached: false,
    sent_invitations: false,
  }),
  BAD_IMAGE: entry(400, 'Could not decode image; did you upload an image file?'),
  REALM_UPLOAD_QUOTA: entry(400, "Upload would exceed your organization's upload quota."),
  INVALID_PUSH_DEVICE_TOKEN: entry(400, 'Device not recognized'),
  NO_ACTIVE_PUSH_DEVICE: entry(400, 'No active registered push device'),
  PUSH_SERVICE_NOT_CONFIGURED: entry(
    400,
    'Server is not configured to use push notification service.',
  ),
  SERVICE_UNAVAILABLE: entry(503, 'The store is not available'),
  INTERNAL_ERROR: entry(500, 'Internal server error'),
};

/** Codes any endpoint may answer with, whoever calls. */
export const COMMON_CODES = [
  'BAD_REQUEST',
  'REQUEST_VARIABLE_MISSING',
  'REQUEST_VARIABLE_INVALID',
  'REQUEST_CONFUSING_VAR',
  'INVALID_JSON',
  'RATE_LIMIT_HIT',
  'SERVICE_UNAVAILABLE',
  'INTERNAL_ERROR',
] as const;

/** The body of an error as an example. */
export function exampleError(code: string): Record<string, unknown> {
  const { msg, fields } = ERROR_CODES[code] ?? { msg: '' };
  return { result: 'error', msg, code, ...fields };
}
