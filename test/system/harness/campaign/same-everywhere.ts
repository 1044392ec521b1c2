import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ApiClient, Body, Parameters, Reply } from '../client.js';
import { MODERN } from '../viewers.js';
import type { NodeGroup } from './node-group.js';

/** What readers ask for at the end. */
const PATHS = [
  '/messages?anchor=oldest&num_before=0&num_after=5000&apply_markdown=false',
  '/messages?anchor=newest&num_before=100&num_after=0',
  '/users',
  '/users/me/subscriptions',
  '/streams',
  '/user_groups',
  '/scheduled_messages',
];

/** Fields that belong to the reply or its node and not to the organization. */
const OWN = [
  'server_generation',
  'queue_id',
  'last_event_id',
  'server_timestamp',
  'presence_last_update_id',
];

/** Where nodes answer differently; empty where they are all equal. @param users whose view is compared */
export async function differences(
  { nodes }: NodeGroup,
  users: readonly ApiClient[],
): Promise<string[]> {
  const found: string[] = [];
  for (const user of users) {
    const views = await Promise.all(nodes.map(({ url }) => viewOf(user.at(url))));
    const [first, ...others] = views;
    for (const [i, other] of others.entries()) {
      for (const [what, value] of Object.entries(first!)) {
        if (isDeepStrictEqual(value, other[what])) continue;
        const [a, b] = [value, other[what]].map((one) => JSON.stringify(one)?.slice(0, 2000));
        found.push(`${user.email}, ${what}: node 0 has ${a}, node ${i + 1} has ${b}`);
      }
    }
  }
  return found;
}

async function viewOf(client: ApiClient): Promise<Body> {
  const view: Body = {};
  for (const path of PATHS) {
    const [name, query = ''] = path.split('?') as [string, string?];
    const parameters = Object.fromEntries(new URLSearchParams(query));
    view[path] = await answered(client, 'GET', name, parameters);
  }
  const snapshot = await answered(client, 'POST', '/register', MODERN);
  await answered(client, 'DELETE', '/events', { queue_id: snapshot.queue_id });
  for (const [name, value] of Object.entries(snapshot)) {
    if (!OWN.includes(name)) view[`register: ${name}`] = value;
  }
  return view;
}

/** A call that is repeated while it gets 503, as clients do: on a busy machine a node may find its store slow. */
async function answered(
  client: ApiClient,
  method: string,
  path: string,
  parameters: Parameters,
): Promise<Body> {
  let reply: Reply;
  while ((reply = await client.call(method, path, parameters)).status === 503) await pause(25);
  if (reply.status === 200) return reply.body;
  throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
}
