import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

/** Stored navigation view of a user: a built-in view with their setting, or a custom view. */
export const NavigationViewDocument = Type.Object({
  id: Type.Integer(),
  user_id: Type.Integer(),
  /** Part of the view's URL after `#`. */
  fragment: Type.String(),
  is_pinned: Type.Boolean(),
  /** Null for built-in views. */
  name: nullable(Type.String()),
});
export type NavigationViewDocument = Static<typeof NavigationViewDocument>;

/** The stored documents of `navigation_view`. */
export const navigationViewCollection = collection('navigation_view', NavigationViewDocument);
