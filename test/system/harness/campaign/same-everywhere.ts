import { isDeepStrictEqual } from 'node:util';
import type { ApiClient, Body } from '../client.js';
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
    view[path] = await client.okInTheEnd('GET', name, parameters);
  }
  const snapshot = await client.okInTheEnd('POST', '/register', MODERN);
  await client.okInTheEnd('DELETE', '/events', { queue_id: snapshot.queue_id });
  for (const [name, value] of Object.entries(snapshot)) {
    if (!OWN.includes(name)) view[`register: ${name}`] = value;
  }
  return view;
}
