import Type from 'typebox';
import { Empty, endpoint, nullable, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MAX_VIEW_FRAGMENT_LENGTH, MAX_VIEW_NAME_LENGTH } from '../limits.js';
import { text } from '../text.js';

/** A navigation view as clients see it (specification-resources.md#other-resources). */
export const NavigationView = Type.Object(
  { fragment: Type.String(), is_pinned: Type.Boolean(), name: nullable(Type.String()) },
  { ...exact, title: 'NavigationView' },
);

const Fragment = text(MAX_VIEW_FRAGMENT_LENGTH);
const Name = nullable(text(MAX_VIEW_NAME_LENGTH));

/** endpoints-personal.md#personal-things. */
export const getNavigationViews = endpoint({
  operation: 'get-navigation-views',
  method: 'GET',
  path: '/navigation_views',
  access: 'user',
  summary: 'Get your navigation views',
  params: {},
  response: Type.Object({ navigation_views: Type.Array(NavigationView) }),
  errors: [],
  events: [],
  level: 390,
});

/** specification-endpoints.md#add-navigation-view. */
export const addNavigationView = endpoint({
  operation: 'add-navigation-view',
  method: 'POST',
  path: '/navigation_views',
  access: 'user',
  summary: 'Add a navigation view',
  params: {
    fragment: required(Fragment, { description: 'Unique identifier: the URL hash target' }),
    is_pinned: required(Type.Boolean(), {
      description: 'In the sidebar; else in the menu of more views',
    }),
    name: optional(Name, { description: 'Left out for built-in views', nullMeansAbsent: true }),
  },
  response: Empty,
  errors: [],
  example: { fragment: 'narrow/is/dm', is_pinned: true, name: 'Direct messages' },
  events: ['navigation_view'],
  level: 390,
});

/** endpoints-personal.md#personal-things; the rest of the path is the fragment. */
export const updateNavigationView = endpoint({
  operation: 'update-navigation-view',
  method: 'PATCH',
  path: '/navigation_views/{fragment+}',
  access: 'user',
  summary: 'Change a navigation view',
  params: {
    fragment: required(Fragment),
    is_pinned: optional(Type.Boolean()),
    name: optional(Name, { nullMeansAbsent: true }),
  },
  response: Empty,
  errors: [],
  example: { fragment: 'narrow/is/dm', is_pinned: false },
  refusals: [404],
  events: ['navigation_view'],
  level: 390,
});

/** endpoints-personal.md#personal-things. */
export const removeNavigationView = endpoint({
  operation: 'remove-navigation-view',
  method: 'DELETE',
  path: '/navigation_views/{fragment+}',
  access: 'user',
  summary: 'Remove a navigation view',
  params: { fragment: required(Fragment) },
  response: Empty,
  errors: [],
  example: { fragment: 'narrow/is/dm' },
  refusals: [404],
  events: ['navigation_view'],
  level: 390,
});
