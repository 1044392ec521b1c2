/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as outgoingMailDocument from './outgoing-mail-document.js';
export * as receivedMailDocument from './received-mail-document.js';
