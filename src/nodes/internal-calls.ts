import Type, { type Static, type TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { QueueDocument } from '../../schemas/queues/register.js';
import { ConsolePart, type ConsoleParams, type PartParams } from '../../schemas/queues/console.js';
import { badRequest, serviceUnavailable } from '../errors/index.js';
import { HEARTBEATS_PER_ENTRY } from '../journal/queues/heartbeats.js';
import type { QueueReportReply } from '../journal/queues/queue-homes.js';
import { MAX_TAKEN } from '../organization/presence/activity-tracker.js';
import { MAX_MAIL_BYTES, type MailEnvelope } from '../services/incoming-mail/mail-protocol.js';
import { PIECE_BYTES } from '../organization/uploads/upload-pieces.js';
import type { UploadCall } from '../resources/queues/other-nodes.js';
import { BytesBody } from '../http/forwarding/node-message.js';
import type { HttpSite } from '../http/http-site.js';
import { type ReplicaCount } from '../store/port.js';
import type { Leadership } from './leadership.js';
import { parseJson } from '../services/text/json-text.js';
import { recordFetched } from './service/node-downloads.js';
import type { OrganizationService } from './service/organization-service.js';

/** Paths of what followers call at the leader. */
export const INTERNAL = {
  queues: '/internal/queues',
  register: '/internal/register',
  ticket: '/internal/ticket',
  exportFetched: '/internal/export-fetched',
  activity: '/internal/activity',
  tick: '/internal/tick',
  console: '/internal/console',
  consolePart: '/internal/console-part',
  mail: '/internal/mail',
  upload: '/internal/upload',
} as const;

/** Reply of `INTERNAL.queues`. */
export interface QueuesReply extends QueueReportReply {
  /** What the node reports to the leader while somebody watches the console; absent: nobody does. */
  readonly wanted?: PartParams;
  /** The leader's store takes no commits; absent: it does. */
  readonly read_only?: true;
  /** Of the leader's store; absent: none must have a change. */
  readonly store_replicas?: ReplicaCount;
}

/** Reply of `INTERNAL.register`. */
export interface RegisteredQueue {
  readonly queue_id: string;
  /** Position of the registration. */
  readonly seq: number;
}

/** Reply of `INTERNAL.tick`. */
export interface Ticked {
  /** Position of the entry, or of a later one. */
  readonly seq: number;
}

const Ids = Type.Array(Type.String({ maxLength: 200 }), { maxItems: 10_000 });

const Report = Type.Object({
  node: Type.String({ maxLength: 200 }),
  claimed: Ids,
  kept: Type.Array(Type.Tuple([Type.String({ maxLength: 200 }), Type.Integer(), Type.Boolean()]), {
    maxItems: 10_000,
  }),
  overflowed: Ids,
  acknowledged: Type.Optional(
    Type.Array(Type.Tuple([Type.String({ maxLength: 200 }), Type.Integer()]), {
      maxItems: 10_000,
    }),
  ),
});

const Registration = Type.Object({
  node: Type.String({ maxLength: 200 }),
  userId: QueueDocument.properties.context.properties.user_id,
  idleTimeoutMs: QueueDocument.properties.context.properties.idle_timeout_ms,
  filter: QueueDocument.properties.context.properties.traits,
});

const Ticket = Type.Object({ ticket: Type.String({ maxLength: 200 }) });

const Seen = Type.Array(Type.Integer(), { maxItems: MAX_TAKEN });
const Activity = Type.Object({ users: Seen, sessions: Type.Optional(Seen) });

/** What an administrator asks at a follower, decoded there. */
const Asked = Type.Object({}, { additionalProperties: true });

const Part = Type.Object({ node: Type.String({ maxLength: 200 }), part: ConsolePart });

/** Sender and recipients of a mail: the first line of a call whose rest is the mail. */
const Envelope = Type.Object({
  from: Type.String({ maxLength: 20_000 }),
  to: Type.Array(Type.String({ maxLength: 20_000 }), { maxItems: 100 }),
});
/** Longest envelope, bytes. */
const MAX_ENVELOPE_BYTES = 1024 * 1024;

/** A step of an upload: the first line of a call whose rest is the bytes. */
const Upload = Type.Union([
  Type.Object({
    op: Type.Literal('create'),
    user: Type.Integer(),
    name: Type.String({ maxLength: 10_000 }),
    metadata: Type.String({ maxLength: 10_000 }),
    size: Type.Integer({ minimum: 0 }),
  }),
  Type.Object({
    op: Type.Literal('write'),
    user: Type.Integer(),
    id: Type.String({ maxLength: 100 }),
    offset: Type.Integer({ minimum: 0 }),
  }),
  Type.Object({
    op: Type.Literal('end'),
    user: Type.Integer(),
    id: Type.String({ maxLength: 100 }),
  }),
]);
/** Longest step without its bytes, bytes. */
const MAX_STEP_BYTES = 64 * 1024;

/** Reply of `INTERNAL.upload`. */
export interface UploadStep {
  readonly id: string;
  /** Position of the step, or of a later entry. */
  readonly seq: number;
}

/** The body of a call that says something of bytes. */
export function bytesCall(head: MailEnvelope | UploadCall, bytes: Buffer): BytesBody {
  return new BytesBody([Buffer.from(`${JSON.stringify(head)}\n`), bytes]);
}

/** What the leader does for followers. */
export interface LeadingNode {
  readonly leadership: Leadership;
  readonly served: OrganizationService;
}

/**
 * Serves the calls of followers on the internal listener; every node registers them, and one that does not
 * lead refuses them.
 * @param leading null while this node does not lead
 */
export function serveInternalCalls(site: HttpSite, leading: () => LeadingNode | null): void {
  const add = <S extends TSchema, R>(
    path: string,
    schema: S,
    work: (node: LeadingNode, body: Static<S>) => R,
  ): void => {
    const call = Compile(schema);
    site.internal(path, (body) => {
      if (!call.Check(body)) throw badRequest('A call between nodes is malformed');
      const node = leading();
      if (!node) throw serviceUnavailable('This node does not lead');
      return work(node, body);
    });
  };
  add(INTERNAL.queues, Report, ({ leadership, served }, report): QueuesReply => {
    const { wanted } = served.console;
    const { store } = served.parts;
    const isReadOnly = leadership.health === 'read_only';
    return {
      ...leadership.homes.report(report),
      ...(wanted ? { wanted } : {}),
      ...(isReadOnly ? { read_only: true } : {}),
      ...(store.replicas ? { store_replicas: store.replicas } : {}),
    };
  });
  add(INTERNAL.console, Asked, async ({ served }, asked) => {
    const params = asked as ConsoleParams;
    await served.console.prepare(params);
    return served.console.look(params);
  });
  add(INTERNAL.consolePart, Part, ({ served }, { node, part }) => {
    served.console.told(node, part);
    return {};
  });
  add(INTERNAL.register, Registration, async ({ leadership, served }, { node, ...request }) => {
    const queue = await served.eventQueues.registerHere(request);
    leadership.homes.registered(queue, node);
    return { queue_id: queue.queueId, seq: queue.since } satisfies RegisteredQueue;
  });
  add(INTERNAL.ticket, Ticket, ({ served }, { ticket }) => served.events.tickets.redeem(ticket));
  add(INTERNAL.exportFetched, Type.Object({ id: Type.Integer() }), async ({ served }, { id }) => {
    await recordFetched(served.runtime, id);
    return {};
  });
  add(INTERNAL.activity, Activity, ({ served }, seen) => served.activity.add(seen));
  const addBytes = <S extends TSchema, R>(
    path: string,
    maxBytes: number,
    schema: S,
    work: (node: LeadingNode, head: Static<S>, bytes: Buffer) => Promise<R>,
  ): void => {
    const call = Compile(schema);
    site.internalBytes(path, maxBytes, async (body) => {
      const end = body.indexOf('\n');
      const head = parseJson(body.toString('utf8', 0, Math.max(0, end)))?.value;
      if (!call.Check(head)) throw badRequest('A call between nodes is malformed');
      const node = leading();
      if (!node) throw serviceUnavailable('This node does not lead');
      return work(node, head, body.subarray(end + 1));
    });
  };
  const mailBytes = MAX_MAIL_BYTES + MAX_ENVELOPE_BYTES;
  addBytes(INTERNAL.mail, mailBytes, Envelope, ({ served }, envelope, raw) =>
    served.mails.receiveHere(envelope, raw),
  );
  const uploadBytes = PIECE_BYTES + MAX_STEP_BYTES;
  addBytes(INTERNAL.upload, uploadBytes, Upload, async ({ served, leadership }, step, bytes) => {
    const id = await served.uploads.carryOut(step, bytes);
    return { id, seq: leadership.position } satisfies UploadStep;
  });
  add(INTERNAL.tick, Type.Object({}), async ({ served, leadership }) => {
    await served.runtime.tick(HEARTBEATS_PER_ENTRY);
    return { seq: leadership.position } satisfies Ticked;
  });
}
