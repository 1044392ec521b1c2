import Type from 'typebox';
import { oneOf } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';

const Int = Type.Integer();
const Text = Type.String();

/** event-queues.md#heartbeat: nothing happened for a while. */
export const heartbeat = Type.Object({ type: Type.Literal('heartbeat') }, exact);

/** events.md#protocol-events: another version of the software serves. */
export const restart = Type.Object(
  {
    type: Type.Literal('restart'),
    zulip_version: Text,
    zulip_merge_base: Text,
    zulip_feature_level: Int,
    server_generation: Int,
  },
  exact,
);

/** events-organization.md#organization. */
export const realmExportConsent = Type.Object(
  { type: Type.Literal('realm_export_consent'), user_id: Int, consented: Type.Boolean() },
  exact,
);

const presence = Type.Literal('presence');
const Status = Type.Object(
  {
    client: Text,
    status: oneOf('active', 'idle'),
    timestamp: Int,
    pushable: Type.Boolean(),
  },
  exact,
);

/** events-people.md#people, for queues with `simplified_presence_events`. */
export const presenceModern = Type.Object(
  {
    type: presence,
    presences: Type.Record(
      Type.String(),
      Type.Object({ active_timestamp: Int, idle_timestamp: Int }, exact),
    ),
  },
  exact,
);

/** events-people.md#people, slim, and with the address for legacy queues. */
export const presenceByClient = Type.Object(
  {
    type: presence,
    user_id: Int,
    email: Type.Optional(Text),
    server_timestamp: Type.Number(),
    presence: Type.Record(Type.String(), Status),
  },
  exact,
);

/** All events of the server itself, and presence. */
export const serverEvents = events(
  heartbeat,
  restart,
  realmExportConsent,
  presenceModern,
  presenceByClient,
);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  server_generation: ['When the serving process began, UNIX seconds.', 1_750_000_000],
  consented: 'Whether the user allows the export of their private data.',
});
