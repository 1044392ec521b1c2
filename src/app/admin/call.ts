import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Reply } from '../../resources/kernel/route.js';
import { ownerOf } from './accounts.js';
import type { AdminNode } from './admin-request.js';

/** Calls an endpoint with the rights of an owner. @throws ApiError as the API does */
export async function callAsOwner(
  node: AdminNode,
  { operation }: EndpointDescriptor,
  params: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const route = node.served.service.routes.find(
    ({ endpoint }) => endpoint.operation === operation,
  )!;
  return route.call({
    ...{ caller: { user: ownerOf(node) }, params, isOperator: true },
    ...{ clientName: 'parley admin', remoteAddress: 'admin socket' },
  });
}
