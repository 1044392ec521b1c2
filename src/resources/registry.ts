import { ALL_ENDPOINTS, areaOf } from '../../schemas/endpoints.js';
import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import * as accounts from './accounts/index.js';
import * as administration from './administration/index.js';
import * as channels from './channels/index.js';
import * as groups from './groups/index.js';
import * as hooks from './hooks/index.js';
import * as invitations from './invitations/index.js';
import * as messages from './messages/index.js';
import * as personal from './personal/index.js';
import * as presence from './presence/index.js';
import * as queues from './queues/index.js';
import * as realm from './realm/index.js';
import * as scheduling from './scheduling/index.js';
import * as topics from './topics/index.js';
import * as uploads from './uploads/index.js';
import * as users from './users/index.js';
import type { HandlerParts } from './handler-parts.js';
import type { AnyHandler } from './kernel/handler.js';
import { unofferedHandlers } from './unoffered.js';

/** The areas of the API; each lists its handlers in its index. */
const AREAS = [
  accounts,
  administration,
  channels,
  groups,
  hooks,
  invitations,
  messages,
  personal,
  presence,
  queues,
  realm,
  scheduling,
  topics,
  uploads,
  users,
];

/** Every endpoint there is, but for what the HTTP layer serves itself: events, by poll and socket, and files. */
export function allHandlers(parts: HandlerParts): AnyHandler[] {
  return [...AREAS.flatMap(({ handlers }) => handlers(parts)), ...unofferedHandlers(parts)];
}

/**
 * Checked at every start.
 * @throws Error unless what is served is exactly what the contract declares, each endpoint once
 */
export function assertServed(
  served: readonly { readonly endpoint: EndpointDescriptor }[],
  declared: readonly EndpointDescriptor[] = ALL_ENDPOINTS,
): void {
  const rest = new Set(declared);
  for (const { endpoint } of served) {
    if (!rest.delete(endpoint)) {
      throw new Error(`${endpoint.operation} is not declared, or is served twice`);
    }
  }
  for (const endpoint of rest) {
    const area = areaOf(endpoint);
    const place = area === 'unoffered' ? 'unoffered.ts' : `${area}/index.ts`;
    const remedy = area === undefined ? '' : `: add its handler to src/resources/${place}`;
    throw new Error(`Nothing serves ${endpoint.operation}${remedy}`);
  }
}
