import Type from 'typebox';
import { exact } from '../exact.js';
import { NavigationView } from './navigation-views.js';
import { events } from '../event.js';

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
