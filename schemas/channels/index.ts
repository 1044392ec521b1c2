/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as channelAdministration from './channel-administration.js';
export * as channelDocument from './channel-document.js';
export * as channelEvents from './channel-events.js';
export * as channelFolderDocument from './channel-folder-document.js';
export * as channelFolderEvents from './channel-folder-events.js';
export * as channelFolders from './channel-folders.js';
export * as channels from './channels.js';
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as subscriptionDocument from './subscription-document.js';
export * as subscriptionProperties from './subscription-properties.js';
