/** What the admin socket does: by the transactions and events of the API, as an owner of the organization. */
import { heapBytes, residentBytes } from '../../platform/figures.js';
import { uptime } from '../../platform/time.js';
import { EVENT_TYPES } from '../../../schemas/events.js';
import { dropQueue } from '../../../schemas/queues/console.js';
import { badRequest } from '../../errors/index.js';
import { type JournalEvent, includes } from '../../journal/entry.js';
import { censusOf } from '../../journal/queues/queue-census.js';
import { ACTOR_COMMANDS } from './actor-commands.js';
import type { WatchedEntry } from '../../organization/state/runtime.js';
import { callAsOwner } from './accounts.js';
import type { AdminNode, AdminRequest, Asker, Work } from './admin-request.js';
import { auditRows } from './audit-command.js';
import { supportBundle } from './bundle-command.js';
import { MAIL_COMMANDS } from './mail-commands.js';
import { ORGANIZATION_COMMANDS } from './organization-commands.js';
import { numberFrom, top } from './top.js';
import { USER_COMMANDS } from './user-commands.js';
import { onceSettled, untold } from '../../turns/background.js';

const COMMANDS: Readonly<Record<string, Work>> = {
  ...USER_COMMANDS,
  ...ORGANIZATION_COMMANDS,
  ...ACTOR_COMMANDS,
  ...MAIL_COMMANDS,
  'queues list': ({ served }) => [...served.queues.all()].map((queue) => queueRow(served, queue)),
  'queues show': ({ served }, { args: [id = ''] }) => {
    const queue = served.queues.get(id);
    if (!queue) throw badRequest(`There is no queue ${id}`);
    return { ...queueRow(served, queue), document: served.queues.document(queue) };
  },
  'queues drop': async (node, { args: [id = ''] }) => {
    const { served } = node;
    const queue = served.queues.get(id);
    if (!queue) throw badRequest(`There is no queue ${id}`);
    const row = queueRow(served, queue);
    await callAsOwner(node, dropQueue, { queue_id: id });
    return row;
  },
  audit: auditRows,
  'support-bundle': supportBundle,
  stats,
  tail,
  top,
};

/** Carries out a command. @throws ApiError for one that cannot be */
export async function carryOut(
  node: AdminNode,
  request: AdminRequest,
  asker: Asker,
): Promise<unknown> {
  const work = Object.hasOwn(COMMANDS, request.command) ? COMMANDS[request.command] : undefined;
  if (!work) throw badRequest(`This server knows no ${request.command}`);
  // Nothing is reported, nor refused for anything, that a crash could undo.
  return node.served.runtime.told(() => work(node, request, asker));
}

type Served = AdminNode['served'];

function queueRow(served: Served, queue: NonNullable<ReturnType<Served['queues']['get']>>) {
  const user = served.org.users.get(queue.userId);
  return {
    id: queue.queueId,
    user: user?.email ?? String(queue.userId),
    state: queue.needsReplay ? 'unattached' : (queue.consumer?.kind ?? 'idle'),
    events: queue.length,
    bytes: queue.bufferedBytes,
    acknowledged: queue.acknowledgedId,
  };
}

function stats({ leadership, served }: AdminNode) {
  const { org, queues } = served;
  const census = censusOf(queues.all(), org.now());
  const { replicas } = served.parts.store;
  return {
    organization: org.realm.current.name,
    users: org.users.active.size,
    channels: org.channels.size,
    position: leadership.position,
    pending: leadership.figures().pending,
    store: leadership.health,
    ...(replicas ? { store_replicas: `${replicas.have} of ${replicas.wanted}` } : {}),
    queues: queues.size,
    queues_polling: census.polling,
    queues_streaming: census.streaming,
    queue_events: census.events,
    queue_bytes: census.bytes,
    mails_outstanding: org.mails.size,
    uptime_s: Math.round(uptime()),
    rss_bytes: residentBytes(),
    heap_bytes: heapBytes(),
    node: process.versions.node,
    process: process.pid,
  };
}

/** Sends each journal entry with events that pass the filters, until the other end goes or has enough. */
function tail({ served }: AdminNode, { flags }: AdminRequest, { row, gone }: Asker): Promise<void> {
  const types = typeof flags['type'] === 'string' ? new Set(flags['type'].split(',')) : null;
  for (const type of types ?? []) {
    if (!EVENT_TYPES.has(type)) throw badRequest(`There is no event of the type '${type}'`);
  }
  const user =
    typeof flags['user'] === 'string' ? served.org.users.byRealEmail(flags['user']) : null;
  if (user === undefined) throw badRequest(`There is no account ${String(flags['user'])}`);
  let left = numberFrom(flags['count'], 'count', Infinity, 1_000_000);
  const isWanted = ({ type, audience }: JournalEvent, seq: number): boolean =>
    (types?.has(type) ?? true) &&
    (user === null || includes(audience, user.user_id, seq, served.org.subscriptions));
  return new Promise((resolve) => {
    const { watchers } = served.runtime;
    const watcher = ({ seq, changes, events: all }: WatchedEntry): void => {
      const events = all.map(({ shared }) => shared.event).filter((event) => isWanted(event, seq));
      if (events.length === 0 && (types !== null || user !== null)) return;
      row({
        seq,
        events: events.map(({ type, audience }) => ({ type, to: audience.to })),
        changes: changes.map(({ op, key }) => `${op} ${key.collection}:${key.id}`),
      });
      left -= 1;
      if (left <= 0) end();
    };
    const end = (): void => {
      watchers.delete(watcher);
      resolve();
    };
    watchers.add(watcher);
    onceSettled(gone, end, untold);
  });
}
