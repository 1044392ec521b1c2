import Type from 'typebox';
import { LinkifierObject } from '../linkifiers.js';

/** Events.md section 13: all of them, in their order. */
export const realmLinkifiers = Type.Object(
  {
    type: Type.Literal('realm_linkifiers'),
    realm_linkifiers: Type.Array(LinkifierObject),
  },
  { additionalProperties: false },
);

export const linkifierEvents = [realmLinkifiers] as const;
