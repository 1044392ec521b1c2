/** `parley config check`: what the options come to, and whether what they name can be used. */
import { resolve } from 'node:path';
import { shownOption, type EffectiveOption } from '../config/values.js';
import { LOOPBACK } from '../config/network.js';
import type { Config } from '../config/config.js';
import type { CatalogueEntry } from '../host/catalogue/catalogue.js';
import type { Outcome, Output } from '../host/output.js';
import { reachServices, type Reached } from '../host/reach-services.js';
import { hasCatalogue, isEmbedded, stateFolder } from '../host/data-folder/places.js';

/** Exit statuses, as of `serve`: the options are wrong, or what they name. */
const WRONG_OPTIONS = 2;
const WRONG_PLACES = 1;

interface Check {
  /** Without the settings whose values are faults. */
  readonly config: Partial<Config>;
  readonly options: readonly EffectiveOption[];
  /** What is wrong with options, variables and the configuration file. */
  readonly faults: readonly string[];
  readonly connect: boolean;
}

/**
 * Says each option that somebody gave, with where, and reports all faults; secrets are hidden. Starts nothing and
 * changes nothing.
 */
export async function runConfigCheck(
  { config, options, faults: inOptions, connect }: Check,
  { say, note: report }: Pick<Output, 'say' | 'note'>,
): Promise<Outcome> {
  const inFiles = await settingsFaults(config);
  // What cannot be read cannot be connected to: these faults are told alone.
  const canConnect = connect && inOptions.length + inFiles.length === 0;
  const reached = canConnect ? await reachServices(config as Config) : [];
  const isWhole = inOptions.length === 0;
  const hosted = isWhole ? await organizationsOf(config as Config) : { faults: [], notes: [] };
  const faults = [
    ...inOptions,
    ...inFiles,
    ...hosted.faults,
    ...reached.flatMap(({ fault }) => fault ?? []),
  ];
  const risks = reached.flatMap((one) => one.risks ?? []);
  const notes = isWhole ? [...notesOn(config as Config), ...hosted.notes, ...risks] : [];
  const state = isWhole ? resolve(stateFolder(config as Config)) : null;
  sayOptions(options, say);
  for (const note of notes) say(`Note: ${note}`);
  if (state) say(`This process keeps its indexes, its witness and its admin socket in ${state}`);
  for (const { service, fault } of reached) {
    if (fault === null) say(`Reached: ${service}`);
  }
  faults.forEach(report);
  say(verdict(options, faults));
  const value = valueOf({ options, faults, notes, reached, state });
  if (faults.length === 0) return { value };
  return { value, status: isWhole ? WRONG_PLACES : WRONG_OPTIONS };
}

function verdict(options: readonly EffectiveOption[], faults: readonly string[]): string {
  if (faults.length > 0) {
    return `The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}`;
  }
  const defaults = options.filter(({ isDefault }) => isDefault === true).length;
  return `The configuration is valid; ${defaults} options have their defaults`;
}

interface Shown {
  readonly options: readonly EffectiveOption[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
  readonly reached: readonly Reached[];
  readonly state: string | null;
}

function valueOf({ options, faults, notes, reached, state }: Shown): object {
  const rows = options.map(shownOption);
  const connected = reached.map(({ service, fault }) => ({ service, reached: fault === null }));
  return { valid: faults.length === 0, faults, notes, connected, options: rows, state };
}

function sayOptions(options: readonly EffectiveOption[], say: (line: string) => void): void {
  const given = options.filter(({ isDefault }) => isDefault !== true).map(shownOption);
  const names = Math.max(0, ...given.map(({ option }) => option.length));
  const values = Math.max(0, ...given.map(({ value }) => value.length));
  for (const { option, value, source } of given) {
    say(`${option.padEnd(names)}  ${value.padEnd(values)}  ${source}`);
  }
}

/** What a start says of the organizations of a data folder: why it serves none, and which it cannot serve. */
async function organizationsOf(config: Config): Promise<{ faults: string[]; notes: string[] }> {
  if (!isEmbedded(config)) return { faults: [], notes: [] };
  const { whyNotAt, whyNotServed } = await import('../host/catalogue/organization-config.js');
  try {
    const entries = hasCatalogue(config) ? await entriesOf(config) : null;
    const reason = whyNotServed(config, entries);
    const active = (entries ?? []).filter(({ state }) => state === 'active');
    const notes = active.map((entry) => whyNotAt(config, entry)).filter((one) => one !== null);
    return { faults: reason === null ? [] : [reason], notes };
  } catch (error) {
    return { faults: [(error as Error).message], notes: [] };
  }
}

async function entriesOf(config: Config): Promise<CatalogueEntry[]> {
  const { Catalogue } = await import('../host/catalogue/catalogue.js');
  return Catalogue.read(config);
}

/** What is valid and may yet be wrong. */
function notesOn(config: Config): string[] {
  const { host } = config.nodeAddress;
  if (isEmbedded(config) || !LOOPBACK.test(host)) return [];
  return [
    `--node-address ${host} is for nodes of this machine only: while this node leads, those of other machines ` +
      'serve reads and refuse changes',
  ];
}

/** Reads each file and folder of settings as a start does; its code is loaded only where there is one. */
const SETTINGS: Readonly<Record<string, (config: Partial<Config>) => unknown>> = {
  'tls-cert': async ({ tls }) =>
    tls && (await import('../http/tls/certificate.js')).readCertificate(tls),
  jwt: async ({ jwt }) =>
    jwt && (await (await import('../services/auth/web-tokens.js')).WebTokens.load(jwt)),
  push: async ({ push }) => {
    if (!push) return;
    const { ConfiguredPush } = await import('../services/push/configured-push.js');
    (await ConfiguredPush.load(push)).close();
  },
  ldap: async ({ ldap }) => {
    if (!ldap) return;
    const { Directory } = await import('../services/auth/ldap-directory.js');
    await Directory.load(ldap, () => undefined);
  },
  oidc: async ({ oidc }) =>
    oidc && (await (await import('../services/auth/openid-settings.js')).readOpenIdSettings(oidc)),
  calls: async ({ calls }) =>
    calls && (await (await import('../services/calls/call-settings.js')).readCallSettings(calls)),
  'web-app': async ({ webApp }) =>
    webApp && (await import('../services/web-app/web-app.js')).WebApp.open(webApp),
};

async function settingsFaults(config: Partial<Config>): Promise<string[]> {
  const faults: string[] = [];
  for (const [flag, read] of Object.entries(SETTINGS)) {
    try {
      await read(config);
    } catch (error) {
      faults.push(`--${flag}: ${(error as Error).message}`);
    }
  }
  return faults;
}
