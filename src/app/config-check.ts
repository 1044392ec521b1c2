/** `parley config check`: what the options come to, and whether the files that they name can be used. */
import { resolve } from 'node:path';
import type { EffectiveOption } from '../config/values.js';
import { LOOPBACK } from '../config/network.js';
import type { Config } from '../config/config.js';
import { isEmbedded, stateFolder } from './data-folder/places.js';

/** Stands for a secret. */
const HIDDEN = '***';

/**
 * Prints each option that somebody gave, with where; secrets are hidden. Starts nothing and changes nothing.
 * @throws Error naming a file of settings that cannot be used
 */
export async function runConfigCheck(
  { config, options, asJson }: Check,
  print: (line: string) => void,
): Promise<void> {
  await checkSettings(config);
  const notes = notesOn(config);
  const given = options.filter(({ isDefault }) => isDefault !== true);
  if (asJson) {
    const rows = options.map((one) => ({
      option: one.option.flag,
      value: shown(one),
      source: one.isDefault === true ? 'default' : one.source,
    }));
    print(
      JSON.stringify(
        { valid: true, notes, options: rows, state: resolve(stateFolder(config)) },
        null,
        2,
      ),
    );
    return;
  }
  const names = Math.max(0, ...given.map(({ option }) => option.flag.length));
  const values = Math.max(0, ...given.map((one) => shown(one).length));
  for (const one of given) {
    print(`${one.option.flag.padEnd(names)}  ${shown(one).padEnd(values)}  ${one.source}`);
  }
  for (const note of notes) print(`Note: ${note}`);
  const defaults = options.length - given.length;
  const kept = resolve(stateFolder(config));
  print(`This process keeps its indexes, its witness and its admin socket in ${kept}`);
  print(`The configuration is valid; ${defaults} options have their defaults`);
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

interface Check {
  readonly config: Config;
  readonly options: readonly EffectiveOption[];
  readonly asJson: boolean;
}

/** @throws Error for the first file of settings that cannot be used */
async function checkSettings(config: Config): Promise<void> {
  const { tls, jwt, ldap, oidc, push, calls, webApp } = config;
  if (tls !== null) {
    const { readCertificate } = await import('../http/tls/certificate.js');
    readCertificate(tls);
  }
  if (jwt !== null) {
    const { WebTokens } = await import('../services/auth/web-tokens.js');
    await WebTokens.load(jwt);
  }
  if (push !== null) {
    const { ConfiguredPush } = await import('../services/push/configured-push.js');
    (await ConfiguredPush.load(push)).close();
  }
  if (ldap !== null) {
    const { Directory } = await import('../services/auth/ldap-directory.js');
    await Directory.load(ldap, () => undefined);
  }
  if (oidc !== null) {
    const { readOpenIdSettings } = await import('../services/auth/openid-settings.js');
    await readOpenIdSettings(oidc);
  }
  if (calls !== null) {
    const { readCallSettings } = await import('../services/calls/call-settings.js');
    await readCallSettings(calls);
  }
  if (webApp !== null) {
    const { WebApp } = await import('../services/web-app/web-app.js');
    WebApp.open(webApp);
  }
}

function shown({ option, value }: EffectiveOption): string {
  if (!option.secret?.test(value)) return value;
  const hidden = value.replace(/(:\/\/[^/?#:]*:)[^/?#]+@/, `$1${HIDDEN}@`);
  return hidden === value ? HIDDEN : hidden;
}
