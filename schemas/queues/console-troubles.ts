import Type, { type Static } from 'typebox';
import { Id, nullable } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';

/** Rows of each list: kinds of refusals, slow requests, kinds of failures. */
export const CONSOLE_TROUBLES = 200;

const Count = Type.Integer({ minimum: 0 });

const Refusals = Type.Object(
  {
    status: Count,
    code: Type.String(),
    user_id: nullable(Id),
    address: Type.String(),
    endpoint: Type.String(),
    count: Count,
    last_at: Count,
    node_id: Type.String(),
  },
  { title: 'Refusals' },
);
const SlowRequest = Type.Object(
  {
    at: Count,
    endpoint: Type.String(),
    user_id: nullable(Id),
    took_ms: Count,
    received_ms: Count,
    handled_ms: Count,
    replied_ms: Count,
    node_id: Type.String(),
  },
  { title: 'SlowRequest' },
);
const Failures = Type.Object(
  {
    kind: Type.String(),
    reason: Type.String(),
    count: Count,
    last_at: Count,
    node_id: Type.String(),
  },
  { title: 'Failures' },
);

/** What went wrong since the processes began. */
export const ConsoleTroubles = Type.Object(
  {
    refusals: Type.Array(Refusals, { maxItems: CONSOLE_TROUBLES }),
    slow: Type.Array(SlowRequest, { maxItems: CONSOLE_TROUBLES }),
    failures: Type.Array(Failures, { maxItems: CONSOLE_TROUBLES }),
    mails_waiting: Count,
    oldest_mail_seconds: Count,
    pushes_waiting: Count,
  },
  { title: 'Troubles' },
);
export type TroublesFields = Static<typeof ConsoleTroubles>;
export type RefusalsRow = Static<typeof Refusals>;
export type SlowRequestRow = Static<typeof SlowRequest>;
export type FailuresRow = Static<typeof Failures>;

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  refusals: 'Refused and failed requests, by user or else address, and by code.',
  'Refusals.code': ['Code of the refusal.', 'RATE_LIMIT_HIT'],
  'Refusals.user_id': ['User id of the caller; null if unknown.', 4],
  address: ['Address of the client when the row began.', '203.0.113.7'],
  'Refusals.count': ['How often.', 40],
  last_at: ['The last time, milliseconds since 1970.', 1_750_000_000_000],
  slow: 'Requests that took longer than `--slow-request`.',
  'SlowRequest.at': ['When, milliseconds since 1970.', 1_750_000_000_000],
  'SlowRequest.user_id': ['User id of the caller; null if unknown.', 4],
  took_ms: ['How long it took in all.', 600],
  received_ms: ['Until its handler began.', 100],
  handled_ms: ['Until the handler returned.', 0],
  replied_ms: ['Until the reply was sent, with the store’s time.', 500],
  failures: 'Mails, pushes, outgoing webhooks and operations of the store that failed.',
  'Failures.kind': ['What failed.', 'mail'],
  'Failures.reason': ['Why, without addresses of people.', 'connect ECONNREFUSED 192.0.2.1:25'],
  'Failures.count': ['How often.', 3],
  mails_waiting: ['Mails that no mail server has accepted yet.', 0],
  oldest_mail_seconds: ['How long the oldest of them waits.', 0],
  pushes_waiting: ['Pushes that wait.', 0],
});
