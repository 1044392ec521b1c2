/* What the contract says of this area: every file that declares an endpoint, an event or a collection. */
export * as confirmationDocument from './confirmation-document.js';
export * as jwtLogin from './jwt-login.js';
export * as twoFactor from './two-factor.js';
export * as twoFactorDocument from './two-factor-document.js';
export * as parameterTexts from './parameter-texts.js';
