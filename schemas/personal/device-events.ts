import Type from 'typebox';
import { nullable } from '../endpoint.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

const type = Type.Literal('device');

/** events-personal.md#personal-data. */
export const deviceAdd = Type.Object(
  { type, op: Type.Literal('add'), device_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data. */
export const deviceRemove = Type.Object(
  { type, op: Type.Literal('remove'), device_id: Type.Integer() },
  exact,
);

/** events-personal.md#personal-data; only what changed is there. */
export const deviceUpdate = Type.Object(
  {
    type,
    op: Type.Literal('update'),
    device_id: Type.Integer(),
    push_key_id: Type.Optional(nullable(Type.Integer())),
    push_token_id: Type.Optional(nullable(Type.String())),
    pending_push_token_id: Type.Optional(nullable(Type.String())),
    push_token_last_updated_timestamp: Type.Optional(nullable(Type.Integer())),
    push_registration_error_code: Type.Optional(nullable(Type.String())),
  },
  exact,
);

/** All events of devices. */
export const deviceEvents = events(deviceAdd, deviceRemove, deviceUpdate);
