/** How an organization is deleted: after a time to think it over, with everything it has. */
import { badRequest } from '../errors/index.js';
import type { Config } from '../config/config.js';
import type { Catalogue, CatalogueEntry } from '../host/catalogue/catalogue.js';
import { organizationFolder, placesOf } from '../host/catalogue/organization-config.js';
import { rm } from '../platform/files.js';
import { wallTime } from '../platform/time.js';
import type { AdminRequest } from './admin/admin-request.js';

const DAY_MS = 24 * 3600 * 1000;
/** Days after which a deletion is carried out, unless it says another number: a week, in which somebody misses it. */
const THINK_DAYS = 7;
const MAX_THINK_DAYS = 365;

const YES =
  'This removes everything that the organization has, and cannot be undone: confirm with --yes';

/**
 * Deletes a deactivated organization later, or with `--after 0` now.
 * @returns its entry; null where it is gone
 * @throws ApiError
 */
export async function deleteLater(
  config: Config,
  catalogue: Catalogue,
  entry: CatalogueEntry,
  flags: AdminRequest['flags'],
): Promise<CatalogueEntry | null> {
  if (entry.state !== 'deactivated') throw badRequest(`Deactivate ${entry.name} first`);
  if (flags['yes'] !== true) throw badRequest(YES);
  const days = daysOf(flags);
  if (days === 0) {
    await deleteNow(config, catalogue, entry);
    return null;
  }
  const condemned = { ...entry, delete_at: wallTime() + days * DAY_MS };
  await catalogue.put(condemned);
  return condemned;
}

/** Deletes those whose time to think is over. @returns their names */
export async function deleteDue(config: Config, catalogue: Catalogue): Promise<string[]> {
  const now = wallTime();
  const due = catalogue.entries.filter(
    ({ state, delete_at: at }) => state === 'deactivated' && at !== undefined && at <= now,
  );
  for (const entry of due) await deleteNow(config, catalogue, entry);
  return due.map(({ name }) => name);
}

/** Removes an organization that nobody serves, and what it has. */
export async function removeOrganization(
  config: Config,
  catalogue: Catalogue,
  name: string,
): Promise<void> {
  const { state } = placesOf(config, name);
  await rm(organizationFolder(config, name), { recursive: true, force: true });
  if (state !== null) await rm(state, { recursive: true, force: true });
  await catalogue.remove(name);
}

async function deleteNow(config: Config, catalogue: Catalogue, entry: CatalogueEntry) {
  await catalogue.put({ ...entry, state: 'deleting' });
  await removeOrganization(config, catalogue, entry.name);
}

/** Days until a deletion. @throws ApiError */
function daysOf(flags: AdminRequest['flags']): number {
  const text = flags['after'] ?? String(THINK_DAYS);
  if (typeof text === 'string' && /^\d{1,3}$/.test(text) && Number(text) <= MAX_THINK_DAYS) {
    return Number(text);
  }
  throw badRequest(`--after is a number of days, 0 to ${MAX_THINK_DAYS}`);
}
