/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as reminderEvents from './reminder-events.js';
export * as reminders from './reminders.js';
export * as scheduledMessageDocument from './scheduled-message-document.js';
export * as scheduledMessageEvents from './scheduled-message-events.js';
export * as scheduledMessages from './scheduled-messages.js';
