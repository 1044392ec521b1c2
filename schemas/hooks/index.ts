/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as external from './external.js';
export * as fieldTexts from './field-texts.js';
export * as outgoingHookDocument from './outgoing-hook-document.js';
export * as parameterTexts from './parameter-texts.js';
