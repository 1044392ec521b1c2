import { QUOTA_MIB } from './clients/uploader.js';
import type { Plan } from './plan.js';
import { WATCH, WATCH_PORT } from './redis/replicated-store.js';
import { SERVICE_SETTINGS } from './services/settings.js';

/** Where an embedded store is. */
export const FOLDER = '/data/store';

/** Where nodes on several machines have the files, on the disk of another. */
export const SHARED = '/shared';

/** Options of each node, by what a plan has. */
export function settingsOf(plan: Plan): Record<string, string> {
  const { settings, store, files, services, replicas } = plan;
  return {
    ...settings,
    ...(store === 'embedded' && { store: `embedded:${FOLDER}` }),
    ...(files && filesOf(plan)),
    ...(services && SERVICE_SETTINGS),
    ...(replicas && { 'store-replicas': String(replicas.wanted) }),
    ...(replicas?.changes && { store: `redis+sentinel://${WATCH}:${WATCH_PORT}/chat` }),
  };
}

/** Files that no message links are removed in these runs: in others a clock that is set would do so at any time. */
export function isExpiring(plan: Plan): boolean {
  return !plan.faults.includes('clock');
}

/** Options of nodes that have files. */
function filesOf(plan: Plan): Record<string, string> {
  const kept = { 'upload-quota': QUOTA_MIB, 'keep-uploads': isExpiring(plan) ? '1' : '1000' };
  if (plan.store === 'redis') return { ...kept, files: `folder:${SHARED}/files` };
  // One process alone removes at once what a former one has left; several may still write it.
  return { ...kept, files: plan.nodes.length > 1 ? `folder:${FOLDER}/files` : '' };
}
