/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as fieldTexts from './field-texts.js';
export * as groupDocument from './group-document.js';
export * as parameterTexts from './parameter-texts.js';
export * as userGroupEvents from './user-group-events.js';
export * as userGroups from './user-groups.js';
export * as waitingPeriodDocument from './waiting-period-document.js';
