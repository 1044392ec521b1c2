/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as topicEvents from './topic-events.js';
export * as userTopicDocument from './user-topic-document.js';
export * as userTopics from './user-topics.js';
