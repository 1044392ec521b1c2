import { nodePlatform } from './node-platform.js';
import type { Platform } from './platform.js';

let platform: Platform = nodePlatform;

/** What the program runs on. Only the modules of this folder call it. */
export function bound(): Platform {
  return platform;
}

/**
 * Puts another platform in place of the one that is bound, for all that the process does from then on; for
 * simulations and tests. What began on the former ends there: its timers fire and its files stay open. What modules
 * make as they are loaded, such as the id of the node, they keep.
 * @returns puts the former back
 */
export function replacePlatform(next: Platform): () => void {
  const former = platform;
  platform = next;
  return () => {
    platform = former;
  };
}
