/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as attachmentDocument from './attachment-document.js';
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as uploadEvents from './upload-events.js';
export * as uploads from './uploads.js';
