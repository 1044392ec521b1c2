/** `settings.yaml` in the folder of an organization: what its operator set for it alone. */
import { isAbsolute, join } from 'node:path';
import { readConfig, type Config } from '../../config/config.js';
import { readConfigFile } from '../../config/file.js';
import { ConfigError, valueReader } from '../../config/values.js';
import { existsSync } from '../../platform/files.js';

/** Its name in the folder of the organization. */
const FILE = 'settings.yaml';

/** Options that an organization may have of its own, and what they set. */
const OWN: Readonly<Record<string, readonly (keyof Config)[]>> = {
  'mail-from': ['mailFrom'],
  jwt: ['jwt'],
  ldap: ['ldap'],
  oidc: ['oidc'],
  push: ['push'],
  calls: ['calls'],
  files: ['files', 'filesKeys'],
  'files-credentials-file': ['filesKeys'],
  'upload-quota': ['uploadQuotaMib'],
  'member-quota': ['memberQuota'],
  'message-quota': ['messageQuota'],
  'keep-uploads': ['keepUploadsMs'],
  'keep-removed': ['keepRemovedMessagesMs'],
  'keep-audit': ['keepAuditMs'],
  'allowed-origin': ['allowedOrigins'],
  'hook-target': ['hookTargets'],
  'link-previews': ['linkPreviews'],
  'link-preview-target': ['linkPreviewTargets'],
  'invitation-link-validity-minutes': ['invitationLinkValidityMinutes'],
};

/** Those that name a file: beside the settings, unless their path is absolute. */
const PATHS: ReadonlySet<string> = new Set([
  ...['jwt', 'ldap', 'oidc', 'push', 'calls', 'files-credentials-file'],
]);

/**
 * Reads the settings of an organization; none where it has no such file.
 * @throws ConfigError with a line for each fault
 */
export function ownSettings(folder: string): Partial<Config> {
  const path = join(folder, FILE);
  if (!existsSync(path)) return {};
  const quiet = (): void => undefined;
  const { values } = readConfigFile(path, quiet);
  const names = Object.keys(values);
  const foreign = names.filter((name) => !Object.hasOwn(OWN, name));
  if (foreign.length > 0) {
    const all = Object.keys(OWN).join(', ');
    throw new ConfigError(
      `${path}: ${foreign.join(', ')}: of the server, for all of its organizations. One may have ${all}`,
    );
  }
  const placed = Object.entries(values).map(([name, value]) => {
    const isRelative = PATHS.has(name) && value !== '' && !isAbsolute(value);
    return [name, isRelative ? join(folder, value) : value];
  });
  const file = { path, values: Object.fromEntries(placed) as Record<string, string> };
  const { config, faults } = readConfig(valueReader({}, {}, quiet, file), {}, quiet);
  if (faults.length > 0) throw new ConfigError(faults.join('\n'));
  const keys = names.flatMap((name) => OWN[name]!);
  return Object.fromEntries(keys.map((key) => [key, config[key]])) as Partial<Config>;
}
