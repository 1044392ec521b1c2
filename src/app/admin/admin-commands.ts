/** What the admin socket does: by the transactions and events of the API, as an owner of the organization. */
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import {
  deactivateUser,
  reactivateUser,
  updateUser,
} from '../../../schemas/users/user-administration.js';
import { badRequest } from '../../errors.js';
import type { JournalEvent } from '../../journal/entry.js';
import { includes } from '../../journal/queues/audience.js';
import { censusOf } from '../../journal/queues/queue-census.js';
import { checkedFullName, checkedNewEmail } from '../../organization/accounts/account-checks.js';
import { createUser } from '../../organization/accounts/accounts.js';
import { resetPassword } from '../../organization/accounts/password-reset.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import { OPERATOR } from '../../organization/state/actor.js';
import { accountOf, ownerOf, roleFrom, userRow } from './accounts.js';
import { auditRows } from './audit-command.js';
import { newToken } from '../../services/auth/random-token.js';
import type { AdminNode, AdminRequest, Asker, Work } from './admin-request.js';

const COMMANDS: Readonly<Record<string, Work>> = {
  'users list': ({ served }, { flags }) =>
    [...served.org.users.values()]
      .filter((user) => !user.is_system_bot && (flags['all'] === true || user.is_active))
      .map(userRow),
  'users create': create,
  'users role': (node, { args: [email = '', role = ''] }) => {
    const wanted = roleFrom(role);
    const { user_id } = accountOf(node, email);
    return change(node, updateUser, { user_id, role: wanted });
  },
  'users deactivate': (node, { args: [email = ''] }) => {
    const { user_id } = accountOf(node, email);
    return change(node, deactivateUser, { user_id });
  },
  'users reactivate': (node, { args: [email = ''] }) => {
    const { user_id } = accountOf(node, email);
    return change(node, reactivateUser, { user_id });
  },
  'users reset-password': newPassword,
  'queues list': ({ served }) => [...served.queues.all()].map((queue) => queueRow(served, queue)),
  'queues show': ({ served }, { args: [id = ''] }) => {
    const queue = served.queues.get(id);
    if (!queue) throw badRequest(`There is no queue ${id}`);
    return { ...queueRow(served, queue), document: served.queues.document(queue) };
  },
  'queues drop': ({ served }, { args: [id = ''] }) => {
    const queue = served.queues.get(id);
    if (!queue) throw badRequest(`There is no queue ${id}`);
    const row = queueRow(served, queue);
    served.queues.end(queue, 'delete');
    return row;
  },
  audit: auditRows,
  stats,
  tail,
};

/** Carries out a command. @throws ApiError for one that cannot be */
export async function carryOut(
  node: AdminNode,
  request: AdminRequest,
  asker: Asker,
): Promise<unknown> {
  const work = Object.hasOwn(COMMANDS, request.command) ? COMMANDS[request.command] : undefined;
  if (!work) throw badRequest(`This server knows no ${request.command}`);
  const result = await work(node, request, asker);
  // Nothing is told that a crash could undo.
  await node.served.runtime.journal.barrier();
  return result;
}

/** Calls an endpoint as an owner. @returns the account afterwards */
async function change(
  node: AdminNode,
  { operation }: EndpointDescriptor,
  params: Readonly<Record<string, unknown>> & { readonly user_id: number },
): Promise<unknown> {
  const { service, org } = node.served;
  const route = service.routes.find(({ endpoint }) => endpoint.operation === operation)!;
  const caller = { user: ownerOf(node) };
  await route.call({
    ...{ caller, params, isOperator: true },
    ...{ clientName: 'parley admin', remoteAddress: 'admin socket' },
  });
  return userRow(org.users.get(params.user_id)!);
}

async function create(node: AdminNode, request: AdminRequest): Promise<unknown> {
  const { args, flags } = request;
  const [address = '', name = ''] = args;
  const { served } = node;
  const { parts, runtime } = served;
  const checked = () => ({
    email: checkedNewEmail(served.org, address, served.org.domains.list()),
    full_name: checkedFullName(served.org, name, null),
    role: roleFrom(flags['role']),
  });
  checked();
  const { password, shown } = passwordFrom(flags);
  const password_hash = await parts.passwords.hash(password);
  const created = runtime.transact((tx) => {
    const user = createUser(tx, { ...checked(), password_hash, awaits_first_login: true });
    welcomeUser(tx, parts.markdown, user);
    return user;
  }, OPERATOR);
  return { ...userRow(created), ...shown };
}

async function newPassword(node: AdminNode, { args, flags }: AdminRequest): Promise<unknown> {
  const { parts, runtime, queues } = node.served;
  const { user_id } = accountOf(node, args[0] ?? '');
  const { password, shown } = passwordFrom(flags);
  const hash = await parts.passwords.hash(password);
  runtime.transact((tx) => {
    const user = accountOf(node, String(user_id));
    if (user.is_bot) throw badRequest('A bot has no password');
    resetPassword(tx, user, hash);
    tx.onceDurable(() => queues.closeSocketsOf(user_id));
  }, OPERATOR);
  return { ...userRow(accountOf(node, String(user_id))), ...shown };
}

/** The password that was given, or a new one, which is shown once. */
function passwordFrom(flags: AdminRequest['flags']) {
  const given = flags['password'];
  if (typeof given === 'string') {
    if (given.length < 8 || given.length > 100) {
      throw badRequest('A password has 8 to 100 characters');
    }
    return { password: given, shown: {} };
  }
  const password = newToken();
  return { password, shown: { password } };
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
  const census = censusOf(queues.all());
  const memory = process.memoryUsage();
  return {
    organization: org.realm.current.name,
    users: org.users.active.size,
    channels: org.channels.size,
    position: leadership.position,
    pending: leadership.figures().pending,
    store: leadership.storeHealth,
    queues: queues.size,
    queues_polling: census.polling,
    queues_streaming: census.streaming,
    queue_events: census.events,
    queue_bytes: census.bytes,
    mails_outstanding: org.mails.size,
    uptime_s: Math.round(process.uptime()),
    rss_bytes: memory.rss,
    heap_bytes: memory.heapUsed,
    node: process.versions.node,
    process: process.pid,
  };
}

/** Sends each journal entry with events that pass the filters, until the other end goes or has enough. */
function tail(
  { leadership, served }: AdminNode,
  { flags }: AdminRequest,
  { row, gone }: Asker,
): Promise<void> {
  const types = typeof flags['type'] === 'string' ? new Set(flags['type'].split(',')) : null;
  const user =
    typeof flags['user'] === 'string' ? served.org.users.byRealEmail(flags['user']) : null;
  if (user === undefined) throw badRequest(`There is no account ${String(flags['user'])}`);
  let left = typeof flags['count'] === 'string' ? Number(flags['count']) : Infinity;
  const isWanted = ({ type, audience }: JournalEvent, seq: number): boolean =>
    (types?.has(type) ?? true) &&
    (user === null || includes(audience, user.user_id, seq, served.org.subscriptions));
  return new Promise((resolve) => {
    const forget = leadership.watch((entry) => {
      const { seq } = entry.position;
      const events = entry.content.events.filter((event) => isWanted(event, seq));
      if (events.length === 0 && (types !== null || user !== null)) return;
      row({
        seq,
        events: events.map(({ type, audience }) => ({ type, to: audience.to })),
        changes: entry.content.writes.map(({ op, key }) => `${op} ${key.collection}:${key.id}`),
      });
      left -= 1;
      if (left <= 0) end();
    });
    const end = (): void => {
      forget();
      resolve();
    };
    void gone.then(end);
  });
}
