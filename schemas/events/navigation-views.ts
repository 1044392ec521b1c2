import Type from 'typebox';
import { NavigationView } from '../navigation-views.js';

const type = Type.Literal('navigation_view');
const closed = { additionalProperties: false };

/** Events.md section 10. */
export const navigationViewAdd = Type.Object(
  { type, op: Type.Literal('add'), navigation_view: NavigationView },
  closed,
);

/** Events.md section 10; `data` has what changed. */
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
  closed,
);

/** Events.md section 10. */
export const navigationViewRemove = Type.Object(
  { type, op: Type.Literal('remove'), fragment: Type.String() },
  closed,
);

export const navigationViewEvents = [
  navigationViewAdd,
  navigationViewUpdate,
  navigationViewRemove,
] as const;
