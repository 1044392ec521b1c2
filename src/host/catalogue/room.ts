/** Whether an organization can be added to a data folder, by its name and address. */
import { badRequest } from '../../errors/index.js';
import type { Config } from '../../config/config.js';
import type { CatalogueEntry } from './catalogue.js';
import { isMains, MOST_ORGANIZATIONS, whyOnlyOne } from './organization-config.js';

type Known = readonly Pick<CatalogueEntry, 'name' | 'address'>[];

/** @throws ApiError where these settings are for one organization alone */
export function assertSeveral(config: Config): void {
  const reason = whyOnlyOne(config);
  if (reason !== null) throw badRequest(reason);
}

/** @throws ApiError where no organization of the name and address can be added to those that are known */
export function assertRoomFor(config: Config, known: Known, name: string, address: string): void {
  assertSeveral(config);
  if (known.some((one) => one.name === name)) throw badRequest(`The name ${name} is taken`);
  if (known.length >= MOST_ORGANIZATIONS) {
    throw badRequest(
      `A data folder has ${MOST_ORGANIZATIONS} organizations beside the main one at most`,
    );
  }
  assertFree(config, known, name, address);
}

/** @throws ApiError where another organization has the address */
export function assertFree(
  { url }: Pick<Config, 'url'>,
  known: Known,
  name: string,
  address: string,
): void {
  const isTaken = known.some((one) => one.name !== name && one.address === address);
  if (isTaken || isMains(url, address)) throw badRequest(`The address ${address} is taken`);
}
