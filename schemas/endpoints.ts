import { DECLARATIONS } from './declarations.js';
import { isEndpoint, type EndpointDescriptor } from './endpoint.js';

/** Every endpoint of the contract, ordered by operation. */
export const ALL_ENDPOINTS: readonly EndpointDescriptor[] = DECLARATIONS.filter(isEndpoint).sort(
  (a, b) => (a.operation < b.operation ? -1 : 1),
);
