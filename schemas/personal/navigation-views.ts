import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, nullable, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_VIEW_FRAGMENT_LENGTH, MAX_VIEW_NAME_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

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

const type = Type.Literal('navigation_view');

/** events-personal.md#personal-data. */
export const navigationViewAdd = Type.Object(
  { type, op: Type.Literal('add'), navigation_view: NavigationView },
  exact,
);

/** events-personal.md#personal-data; `data` has what changed. */
export const navigationViewUpdate = Type.Object(
  {
    type,
    op: Type.Literal('update'),
    fragment: Type.String(),
    data: Type.Object(
      { is_pinned: Type.Optional(Type.Boolean()), name: Type.Optional(Type.String()) },
      { additionalProperties: false, minProperties: 1 },
    ),
  },
  exact,
);

/** events-personal.md#personal-data. */
export const navigationViewRemove = Type.Object(
  { type, op: Type.Literal('remove'), fragment: Type.String() },
  exact,
);

/** All events of navigation views. */
export const navigationViewEvents = events(
  navigationViewAdd,
  navigationViewUpdate,
  navigationViewRemove,
);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  fragment: 'What identifies the view: the part of its address behind `#`, such as `narrow/is/dm`.',
  is_pinned: 'Whether the sidebar shows the view; otherwise it is in the menu of further views.',
  'update-navigation-view.name': 'New name of the view, at most 100 characters.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  fragment: ['Which view: the part of its address after `#`.', 'narrow/is/dm'],
  'NavigationView.is_pinned':
    'Whether the sidebar shows it; otherwise the menu of more views does.',
  'NavigationView.name': [
    'Name of a view of the user’s own; null for built-in ones.',
    'Direct messages',
  ],
  'get-navigation-views.navigation_views': 'Views the caller added or arranged.',
  'navigation_view.navigation_view': 'The new view.',
  'navigation_view.data': 'What changed, with its new value.',
  'navigation_view.name': ['New name of the view.', 'Direct messages'],
  'data.is_pinned': 'Whether the sidebar shows it now.',
});
