/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as presenceDocument from './presence-document.js';
export * as presenceSessionDocument from './presence-session-document.js';
export * as presence from './presence.js';
