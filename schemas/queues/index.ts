/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as console from './console.js';
export * as eventStream from './event-stream.js';
export * as eventsPoll from './events-poll.js';
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as queueDocument from './queue-document.js';
export * as register from './register.js';
export * as serverEvents from './server-events.js';
export * as socket from './socket.js';
