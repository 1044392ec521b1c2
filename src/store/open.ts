/** Opens a store by URL. */
import { openEmbeddedStore } from './embedded/store.js';
import type { Store } from './port.js';

/**
 * Opens the store a URL names: `embedded:<directory>`.
 * @throws Error for a scheme that is unknown or not supported; it never shows more of the URL
 */
export async function openStore(url: string): Promise<Store> {
  const colon = url.indexOf(':');
  const scheme = colon < 0 ? '' : url.slice(0, colon);
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case 'embedded':
      if (rest === '')
        throw new Error('The store URL names no directory: use embedded:<directory>');
      return openEmbeddedStore(rest);
    case 'redis':
    case 'rediss':
      throw new Error(`Stores of type ${scheme}: are not supported yet: use embedded:<directory>`);
    case '':
      throw new Error('The store URL has no scheme: use embedded:<directory>');
    default:
      throw new Error(`Unknown store type ${scheme}: use embedded:<directory>`);
  }
}
