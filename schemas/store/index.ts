/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as counterDocument from './counter-document.js';
export * as historyDocument from './history-document.js';
export * as keySecretDocument from './key-secret-document.js';
export * as leaderDocument from './leader-document.js';
export * as schemaVersionsDocument from './schema-versions-document.js';
export * as serverDocument from './server-document.js';
