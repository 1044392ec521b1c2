import type { ParameterTexts } from './types.js';

/** Event queues, and what people keep for themselves: drafts, snippets, views, devices. */
export const PERSONAL_TEXTS: ParameterTexts = {
  queue_id: 'Id of an event queue of the caller, from `POST /register`.',
  'get-events.queue_id':
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
    'Days without activity after which people are left out of `presences`; 0 for nobody.',
  ticket:
    'One-time ticket in place of credentials, for browsers, which cannot send them with an upgrade.',
  drafts:
    'Drafts, as objects with `type` (`stream`, `private` or empty), `to` (ids), `topic`, `content` and `timestamp`; all are made, or none.',
  draft:
    'The draft as it is from now on: an object with `type`, `to`, `topic`, `content` and `timestamp`.',
  draft_id: 'Which draft of the caller’s own, by its number from `GET /drafts`.',
  saved_snippet_id: 'Which snippet of the caller’s own, by its number from `GET /saved_snippets`.',
  title: 'Name of the snippet, at most 60 characters.',
  alert_words: 'Words and phrases, at most 100 characters each; case makes no difference.',
  onboarding_step: 'Name of a step from `onboarding_steps`.',
  fragment: 'What identifies the view: the part of its address behind `#`, such as `narrow/is/dm`.',
  is_pinned: 'Whether the sidebar shows the view; otherwise it is in the menu of further views.',
  'update-navigation-view.name': 'New name of the view, at most 100 characters.',
  token: 'Token that the platform’s push service gave the device.',
  device_id: 'Id of a client device, from `POST /register_client_device`.',
  push_key_id: 'Number by which the device recognizes the key a notification was encrypted with.',
  token_kind: 'Whose push service the token is of: `apns` or `fcm`.',
  bouncer_public_key: 'Key of the push service that the registration is sealed for.',
  encrypted_push_registration: 'Token and its kind, encrypted for the push service, base64.',
};
