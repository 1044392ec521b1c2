import { DECLARATIONS, FILES } from './declarations.js';
import { isEndpoint, type EndpointDescriptor } from './endpoint.js';

/** Every endpoint of the contract, ordered by operation. */
export const ALL_ENDPOINTS: readonly EndpointDescriptor[] = DECLARATIONS.filter(isEndpoint).sort(
  (a, b) => (a.operation < b.operation ? -1 : 1),
);

/** The area of an endpoint: the folder of the file that declares it, or that file where it is in none; else undefined. */
export function areaOf(endpoint: EndpointDescriptor): string | undefined {
  const found = Object.entries(FILES).find(([, file]) => Object.values(file).includes(endpoint));
  return found?.[0].split('/')[0];
}
