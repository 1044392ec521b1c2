import Type, { type TProperties } from 'typebox';
import { Empty, endpoint, oneOf, withDefault } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';

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

/** events-organization.md#organization: a picture of the organization changed. */
function image<P extends string, D extends TProperties>(property: P, data: D) {
  return Type.Object(
    {
      type: Type.Literal('realm'),
      op: Type.Literal('update_dict'),
      property: Type.Literal(property),
      data: Type.Object(data, exact),
    },
    exact,
  );
}

const url = Type.String();

/** events-organization.md#organization: another icon. */
export const realmIconUpdate = image('icon', { icon_url: url, icon_source: oneOf('G', 'U') });
/** events-organization.md#organization: another logo. */
export const realmLogoUpdate = image('logo', { logo_url: url, logo_source: oneOf('D', 'U') });
/** events-organization.md#organization: another logo for dark themes. */
export const realmNightLogoUpdate = image('night_logo', {
  night_logo_url: url,
  night_logo_source: oneOf('D', 'U'),
});

/** All events of the organization's pictures. */
export const realmImageEvents = events(realmIconUpdate, realmLogoUpdate, realmNightLogoUpdate);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  icon_url: ['Address of the icon; may be relative.', '/static/icon.svg'],
  logo_url: ['Address of the logo for light backgrounds; may be relative.', '/static/logo.svg'],
  'get-realm-logo.logo_url': [
    'Address of the logo that was asked for; may be relative.',
    '/static/logo.svg',
  ],
  night_logo_url: [
    'Address of the logo for dark backgrounds; may be relative.',
    '/static/logo.svg',
  ],
});
