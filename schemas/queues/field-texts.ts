import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL, ZULIP_VERSION } from '../limits.js';

/** Fields of event queues and of the server’s own events. */
export const queueFields = fieldTexts({
  ticket: [
    'Text to be sent as `ticket` when the WebSocket is opened; it works once.',
    'dGlja2V0LTE',
  ],
  expires_in: ['Seconds until the ticket works no more.', 30],
  node_role: ['Whether the process that answers leads or follows.', 'leader'],
  uptime_seconds: ['How long the process has run.', 86_400],
  resident_bytes: ['Memory of the process.', 180_000_000],
  heap_bytes: ['Memory that its objects take.', 64_000_000],
  loop_delay_p50_ms: [
    'By how much the event loop was late since the last look, median; 0 at the first look.',
    0.1,
  ],
  loop_delay_p99_ms: ['The same for the latest hundredth.', 2.5],
  journal_head: ['Position of the newest durable journal entry.', 20_480],
  pending_entries: ['Journal entries that are not durable yet.', 0],
  delivered_events: ['Events that were put into queues since the process began.', 5_000],
  sends: 'How long `POST /messages` took since the process began.',
  'sends.bounds': ['Upper bounds of latencies, seconds.', [0.005, 0.01, 0.025]],
  'sends.within': ['Replies within each bound, those within a smaller one too.', [180, 196, 200]],
  'sends.count': ['All replies.', 200],
  queue_counts: [
    'Queues by what their client does (`idle`, `polling`, `streaming`, `unattached`), and all unacknowledged `events` with their `bytes`.',
    { idle: 1, polling: 2, streaming: 7, unattached: 0, events: 3, bytes: 900 },
  ],
  actors: ['Actors in memory by machine and state.', { 'event-queue': { live: 10 } }],
  'get-console.queues': 'The 500 queues with most unacknowledged events, with `with_queues`.',
  'ConsoleQueue.user_id': ['Whose queue it is.', 4],
  'ConsoleQueue.state': ['State of its actor.', 'live'],
  'ConsoleQueue.transport': [
    '`poll`, `socket`, `stream`, `none` without a client, `unattached` where nobody came since a restart.',
    'socket',
  ],
  'ConsoleQueue.events': ['Unacknowledged events.', 3],
  'ConsoleQueue.bytes': ['Their length.', 900],
  'ConsoleQueue.acknowledged': ['Newest acknowledged event, or -1.', 2047],
  'ConsoleQueue.idle_seconds': ['How long no client has come; 0 while one is there.', 0],
  journal_events:
    'Events that became durable behind `events_after`, the newest 500, while somebody looks.',
  seq: ['Position in the journal.', 20_480],
  event_type: ['Type of the event.', 'message'],
  audience: ['Who receives it: `all`, `users` or `subscribers`.', 'subscribers'],
  charts: 'State charts of the actors, read from the machines that run; with `with_charts`.',
  machine: ['Name of the machine.', 'event-queue'],
  initial_state: ['State in which its actors begin.', 'live'],
  'StateChart.states': 'Its states.',
  state_name: ['Name of the state.', 'live'],
  is_final: 'Whether an actor in it is at its end.',
  transitions: 'What leads out of the state, or changes only what the actor knows.',
  'StateTransition.event': ['Event that the actor gets.', 'overflow'],
  'StateTransition.target': ['State in which the actor then is.', 'overflowed'],
  queue_id: ['Id of the queue.', 'fb67bf8a-c031-47cc-84cf-ed80accacda8'],
  last_event_id: ['Id of an event; the cursor of the queue.', 2047],
  zulip_version: ['Version of the protocol this server speaks.', ZULIP_VERSION],
  zulip_merge_base: ['The same as `zulip_version`.', ZULIP_VERSION],
  zulip_feature_level: [
    'Newest feature level this server has; changes of the interface are numbered by it.',
    FEATURE_LEVEL,
  ],
  server_generation: ['When the serving process began, UNIX seconds.', 1_750_000_000],
  notification_settings_null:
    'Understands null for notification settings of a channel; otherwise the user’s own value stands there.',
  bulk_message_deletion:
    'Understands `delete_message` with `message_ids`; otherwise each message has an event of its own.',
  user_avatar_url_field_optional: 'Does without `avatar_url` of people who have not come for long.',
  stream_typing_notifications:
    'Wants to know who types in channels; otherwise only in direct conversations.',
  user_settings_object:
    'Understands `user_settings`. No effect since level 439: older forms are gone.',
  linkifier_url_template: 'Understands linkifiers with URL templates; otherwise gets none.',
  user_list_incomplete:
    'Understands that users are missing whom the caller may not see; otherwise placeholders stand for them.',
  include_deactivated_groups: 'Understands deactivated groups; otherwise they seem to be removed.',
  archived_channels: 'Understands archived channels; otherwise they seem to be deleted.',
  empty_topic_name:
    'Understands the empty topic; otherwise the organization’s name for it stands there. Since level 334.',
  simplified_presence_events:
    'Understands presences in the modern form; otherwise gets the older one.',
  individual_emoji_changes:
    'Understands changes of single custom emoji; otherwise gets all of them each time. Since level 491.',
  consented: 'Whether the user allows the export of their private data.',
  'get-realm-export-consents.export_consents': 'Active people, each with what they allow.',
  'export_consents.email_address_visibility': [
    'Who sees the user’s real e-mail address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.',
    1,
  ],
  'get-realm-exports.exports': ['Exports that were made over the API; always empty.', []],
  'exports.id': ['Id of the export.', 1],
  'get-thumbnail-status.has_thumbnail': 'Whether the file has a thumbnail; always false.',
});
