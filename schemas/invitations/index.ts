/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as fieldTexts from './field-texts.js';
export * as invitationDocument from './invitation-document.js';
export * as invitationEvents from './invitation-events.js';
export * as invites from './invites.js';
export * as parameterTexts from './parameter-texts.js';
