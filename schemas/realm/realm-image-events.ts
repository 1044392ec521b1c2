import Type, { type TProperties } from 'typebox';
import { oneOf } from '../endpoint.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

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
