import { readFile } from '../../platform/files.js';
import type { S3Keys, S3KeySource } from './place.js';

/** Names of the fields in files, as of the environment and of Amazon's own tools. */
const FIELDS = {
  aws_access_key_id: 'keyId',
  aws_secret_access_key: 'secret',
  aws_session_token: 'token',
} as const;

/** What requests to a bucket are signed with. Credentials in a file may be replaced while the server runs. */
export class S3Credentials {
  private constructor(
    private readonly source: S3KeySource,
    private keys: S3Keys,
  ) {}

  /** @throws Error that names the file and the field, and shows no value */
  static async load(source: S3KeySource): Promise<S3Credentials> {
    return new S3Credentials(source, 'file' in source ? await keysIn(source.file) : source);
  }

  get current(): S3Keys {
    return this.keys;
  }

  /** Reads the file again. @returns whether it has other credentials now @throws Error as `load` */
  async refresh(): Promise<boolean> {
    if (!('file' in this.source)) return false;
    const [former, keys] = [this.keys, await keysIn(this.source.file)];
    this.keys = keys;
    return (
      former.keyId !== keys.keyId || former.secret !== keys.secret || former.token !== keys.token
    );
  }
}

/** Reads lines of `name = value`, in any case; also one section of a credentials file of Amazon's tools. */
async function keysIn(path: string): Promise<S3Keys> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`${path} cannot be read (${error.code ?? error.message})`);
  });
  const found: { -readonly [name in keyof S3Keys]?: string } = {};
  let sections = 0;
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    if (/^\s*\[[^\]]*\]\s*$/.test(line)) {
      if (++sections > 1) throw new Error(`${path} has several sections: give a file with one`);
      continue;
    }
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === '' || value === '') throw new Error(`${path}: line ${at + 1} is no name = value`);
    const field = FIELDS[name.toLowerCase() as keyof typeof FIELDS];
    // Others are settings of Amazon's tools.
    if (field !== undefined) found[field] = value;
  }
  const { keyId, secret, token } = found;
  if (keyId === undefined) throw new Error(`${path} has no aws_access_key_id`);
  if (secret === undefined) throw new Error(`${path} has no aws_secret_access_key`);
  return token === undefined ? { keyId, secret } : { keyId, secret, token };
}
