/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as deleteMessageEvents from './delete-message-events.js';
export * as fieldTexts from './field-texts.js';
export * as idempotencyKeyDocument from './idempotency-key-document.js';
export * as markAsRead from './mark-as-read.js';
export * as messageArchiveDocument from './message-archive-document.js';
export * as messageDeletion from './message-deletion.js';
export * as messageDocument from './message-document.js';
export * as messageEditingEvents from './message-editing-events.js';
export * as messageEditing from './message-editing.js';
export * as messageEvents from './message-events.js';
export * as messageLookup from './message-lookup.js';
export * as messageReport from './message-report.js';
export * as messages from './messages.js';
export * as parameterTexts from './parameter-texts.js';
export * as reactionEvents from './reaction-events.js';
export * as reactions from './reactions.js';
export * as typing from './typing.js';
