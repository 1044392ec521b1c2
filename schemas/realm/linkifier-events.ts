import Type from 'typebox';
import { exact } from '../exact.js';
import { LinkifierObject } from './linkifiers.js';
import { events } from '../event.js';

/** events-organization.md#organization: all of them, in their order. */
export const realmLinkifiers = Type.Object(
  {
    type: Type.Literal('realm_linkifiers'),
    realm_linkifiers: Type.Array(LinkifierObject),
  },
  exact,
);

/** All events of linkifiers. */
export const linkifierEvents = events(realmLinkifiers);
