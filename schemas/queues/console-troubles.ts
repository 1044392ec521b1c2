import Type, { type Static } from 'typebox';
import { Id, nullable } from '../endpoint.js';

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
