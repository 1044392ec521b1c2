import type { Directory } from '../services/auth/ldap-directory.js';
import type { AppLog } from './log.js';

/** Loads the LDAP library only where a directory is configured, because every start would wait for it. */
export async function loadDirectory(path: string, log: AppLog): Promise<Directory> {
  const { Directory } = await import('../services/auth/ldap-directory.js');
  return Directory.load(path, (error) => log.error({ err: error }, 'the directory did not answer'));
}
