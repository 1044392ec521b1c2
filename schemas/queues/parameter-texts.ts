import { parameterTexts } from '../parameter-texts.js';

/** Parameters about event queues. */
export const queueTexts = parameterTexts({
  'get-events.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'open-event-socket.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'register-queue.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  events_after:
    'Position in the journal: the reply lists events after it, as far as they are kept. Without it there are none.',
  with_queues: 'Whether queues are listed.',
  queue_filter:
    'Words that a listed queue has all of: its user’s id, or parts of its id, client, transport, state or node.',
  queue_order: 'By what queues are listed; those with most, oldest or longest first.',
  queues_ascending: 'Whether those with least come first.',
  open_queue: 'Id of a queue to show in full.',
  open_entry: 'Position of a journal entry to show in full, while it is kept.',
  with_actors: 'Whether the reply includes scheduled messages and running deletions.',
  with_troubles: 'Whether refusals, slow requests and failures come.',
  with_charts: 'Whether the state charts of the actors come.',
  'drop-queue.queue_id': 'Id of anybody’s event queue.',
  queue_id: 'Id of an event queue of the caller, from `POST /register`.',
  'get-events.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
  'open-event-stream.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  'open-event-stream.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
  'open-event-socket.queue_id':
    'Id of the queue to read. Without it a new one is made by the parameters of `POST /register`.',
  last_event_id:
    'Id of the newest event the client has taken care of, or -1 for none: those up to it are dropped, those after it come.',
  dont_block:
    'Whether the reply comes at once, also without an event; otherwise it waits for one, or for a heartbeat.',
  event_types: 'Types of events the queue gets; without it all. Unknown names do no harm.',
  fetch_event_types:
    'Sections of the snapshot that come back; without it those of `event_types`, or all. An empty list gives none.',
  all_public_streams:
    'Whether messages of all public channels come, not only of those one is subscribed to; for bots their stored default, else false.',
  client_capabilities:
    'What the client understands, as an object of booleans: each one replaces an older form of replies and events.',
  presence_history_limit_days:
    'Days without activity after which users are left out of `presences`; 0: no users.',
  ticket:
    'One-time ticket in place of credentials, for browsers, which cannot send them with an upgrade.',
});
