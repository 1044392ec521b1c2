import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { webcrypto } from 'node:crypto';
import { existsSync, readFile } from '../platform/files.js';
import { UnsupportedRuntimeError } from '../platform/runtime-support.js';

/** The SHA-256 of each compiled file that was tested, as docs/native-binaries.md says. */
const TABLE = 'native-binaries.sha256';

/**
 * Whether the compiled file of uWebSockets.js that this process loads is one that was tested; another one, such as the
 * library's own release, is asked whether it does what Parley needs.
 * @throws UnsupportedRuntimeError where it does not, saying what it does
 */
export async function assertNativeFits(): Promise<void> {
  const file = binaryFile();
  const hash = await sha256Of(file);
  if (hash !== null && (await testedHashes()).includes(hash)) return;
  const { nativeFaults } = await import('./native-probe.js');
  const [first, ...others] = await nativeFaults();
  if (first === undefined) return;
  throw new UnsupportedRuntimeError(
    `The installed uWebSockets.js is none that Parley was tested with (${file}, SHA-256 ${hash ?? 'unknown'}), and it ` +
      `does not do what Parley needs: ${first}${others.length > 0 ? `, and ${others.length} more` : ''}. ` +
      'Install what package-lock.json names (docs/native-binaries.md)',
  );
}

/** What the library's loader loads here. */
function binaryFile(): string {
  const { platform, arch, versions } = process;
  const folder = dirname(createRequire(import.meta.url).resolve('uWebSockets.js'));
  return join(folder, `uws_${platform}_${arch}_${versions.modules}.node`);
}

/** In hexadecimal, made in a thread of the pool; null for a file that is not there. */
async function sha256Of(file: string): Promise<string | null> {
  if (!existsSync(file)) return null;
  return Buffer.from(await webcrypto.subtle.digest('SHA-256', await readFile(file))).toString(
    'hex',
  );
}

/** Beside the bundled server; where each source is compiled by itself, in the documents. */
async function testedHashes(): Promise<string> {
  const bundled = join(import.meta.dirname, TABLE);
  const path = existsSync(bundled) ? bundled : join(import.meta.dirname, '../../../docs', TABLE);
  return readFile(path, 'utf8');
}
