/** The scripts in `scripts/`: read once, called by their digest. */
import { createHash } from 'node:crypto';
import { readFile } from '../../platform/files.js';
import { isRefusal, type Behind, type Connection } from './connection.js';

const FILES = [
  'commit',
  'settle',
  'acquire-lease',
  'renew-lease',
  'release-lease',
  'trim',
  'listings',
  'replicated',
  'newest',
] as const;

/** The same as `commit` for one that makes room: servers from version 7 take it when memory is full. */
const FREEING = 'commit-freeing';

/** The scripts, by the names of their files. */
export type ScriptName = (typeof FILES)[number] | typeof FREEING;

interface Script {
  readonly source: string;
  readonly digest: string;
}

/** The Lua scripts, loaded. */
export class Scripts {
  private constructor(private readonly scripts: ReadonlyMap<ScriptName, Script>) {}

  /** @param shebang whether the server takes the first line, `#!lua`: version 7 and newer do */
  static async load(shebang: boolean): Promise<Scripts> {
    const scripts = new Map<ScriptName, Script>();
    const add = (name: ScriptName, file: string): void => {
      const source = shebang ? file : file.replace(/^#!lua/, '--');
      const digest = createHash('sha1').update(source).digest('hex');
      scripts.set(name, { source, digest });
    };
    for (const name of FILES) {
      const file = await readFile(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8');
      add(name, file);
      if (name === 'commit') add(FREEING, file.replace(/^#!lua$/m, '#!lua flags=allow-oom'));
    }
    return new Scripts(scripts);
  }

  /**
   * Runs a script once. A server that does not have it, new or flushed, has run nothing: it is sent
   * again with its text, which the server then keeps.
   * @param behind see `Connection.send`
   */
  async run(
    connection: Connection,
    name: ScriptName,
    keys: readonly string[],
    args: readonly string[],
    behind?: Behind,
  ): Promise<unknown> {
    const { source, digest } = this.scripts.get(name)!;
    const command = ['EVALSHA', digest, String(keys.length), ...keys, ...args];
    try {
      return await connection.send(command, 0, behind);
    } catch (error) {
      if (!isRefusal(error) || !error.message.startsWith('NOSCRIPT')) throw error;
      command[0] = 'EVAL';
      command[1] = source;
      return connection.send(command, 0, behind);
    }
  }
}
