/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as avatars from './avatars.js';
export * as botDocument from './bot-document.js';
export * as bots from './bots.js';
export * as fieldTexts from './field-texts.js';
export * as parameterTexts from './parameter-texts.js';
export * as profileFieldDocument from './profile-field-document.js';
export * as profileFields from './profile-fields.js';
export * as settingTexts from './setting-texts.js';
export * as settings from './settings.js';
export * as userActivityDocument from './user-activity-document.js';
export * as userAdministration from './user-administration.js';
export * as userDocument from './user-document.js';
export * as userEvents from './user-events.js';
export * as userSettingsDocument from './user-settings-document.js';
export * as users from './users.js';
