/*
 * The error catalogue (errors.md#codes): every code with its status and fields, and the wordings of those
 * codes. Only its files make an `ApiError`. The wording of a plain `BAD_REQUEST`, and of most that are
 * `UNAUTHORIZED` or `SERVICE_UNAVAILABLE`, stands with the rule that refuses.
 */
export * from './account-errors.js';
export * from './api-error.js';
export * from './channel-errors.js';
export * from './message-errors.js';
export * from './request-errors.js';
export * from './server-errors.js';
export * from './upload-errors.js';
