/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as digestRoundDocument from './digest-round-document.js';
export * as missedMessagesDocument from './missed-messages-document.js';
export * as pushNoticeDocument from './push-notice-document.js';
