import Type from 'typebox';
import { Empty, endpoint, oneOf, withDefault } from '../endpoint.js';

const Icon = Type.Object({ icon_url: Type.String(), icon_source: oneOf('G', 'U') });
const Logo = Type.Object({ logo_url: Type.String(), logo_source: oneOf('D', 'U') });
const NIGHT = withDefault(Type.Boolean(), false, {
  description: 'The logo for dark backgrounds',
});

const ICON = { path: '/realm/icon', params: {} } as const;
const LOGO = { path: '/realm/logo', params: { night: NIGHT } } as const;
const READING = { method: 'GET', access: 'user', errors: [], events: [] } as const;
const CHANGING = { access: 'administrator', response: Empty, events: ['realm'] } as const;

/** endpoints-organization.md#change-organization. */
export const getIcon = endpoint({
  ...ICON,
  ...READING,
  operation: 'get-realm-icon',
  summary: 'Get the address of the icon of the organization',
  response: Icon,
});

/** endpoints-organization.md#change-organization: the body is multipart with exactly one file. */
export const uploadIcon = endpoint({
  ...ICON,
  ...CHANGING,
  operation: 'upload-realm-icon',
  method: 'POST',
  summary: 'Upload an icon of the organization',
  response: Icon,
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  file: 'required',
});

/** endpoints-organization.md#change-organization. */
export const removeIcon = endpoint({
  ...ICON,
  ...CHANGING,
  operation: 'remove-realm-icon',
  method: 'DELETE',
  summary: 'Restore the default icon',
  response: Icon,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** endpoints-organization.md#change-organization. */
export const getLogo = endpoint({
  ...LOGO,
  ...READING,
  operation: 'get-realm-logo',
  summary: 'Get the address of a logo of the organization',
  response: Logo,
});

/** endpoints-organization.md#change-organization: the body is multipart with exactly one file. */
export const uploadLogo = endpoint({
  ...LOGO,
  ...CHANGING,
  operation: 'upload-realm-logo',
  method: 'POST',
  summary: 'Upload a logo of the organization',
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  file: 'required',
});

/** endpoints-organization.md#change-organization. */
export const removeLogo = endpoint({
  ...LOGO,
  ...CHANGING,
  operation: 'remove-realm-logo',
  method: 'DELETE',
  summary: 'Restore the default logo',
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});
