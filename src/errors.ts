/*
 * The error catalogue (errors.md#codes): every code with its status and fields, and the wordings of those
 * codes. Only its files make an `ApiError`. The wording of a plain `BAD_REQUEST`, and of most that are
 * `UNAUTHORIZED` or `SERVICE_UNAVAILABLE`, stands with the rule that refuses.
 */
export * from './errors/account-errors.js';
export * from './errors/api-error.js';
export * from './errors/channel-errors.js';
export * from './errors/message-errors.js';
export * from './errors/request-errors.js';
export * from './errors/server-errors.js';
export * from './errors/upload-errors.js';
