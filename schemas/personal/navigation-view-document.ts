import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** Stored entry of somebody's navigation: a built-in view they placed, or a view of their own. */
export const NavigationViewDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Address of the view, the part behind `#`. */
  fragment: Type.String(),
  is_pinned: Type.Boolean(),
  /** Null for built-in views. */
  name: nullable(Type.String()),
});
export type NavigationViewDocument = Static<typeof NavigationViewDocument>;

/** The stored documents of `navigation_view`. */
export const navigationViewCollection = collection('navigation_view', NavigationViewDocument);
