/** What a store must know about its server before it trusts it. */
import { DamagedError } from '../port.js';
import { mayPass, type Connection } from './connection.js';
import type { DocumentFormat } from './documents.js';
import type { KeySpace } from './keys.js';
import { countAll } from './listing-check.js';

const RISKY = ['appendonly', 'appendfsync', 'maxmemory-policy'];

/** What the adapter has to know of a server. */
export interface ServerFacts {
  /** What the server calls itself, e.g. `redis 7.0.15`. */
  readonly name: string;
  /** Whether scripts may begin with `#!lua`. */
  readonly shebang: boolean;
  readonly hasJson: boolean;
  /** Whether it can wait until its replicas have something in their append-only files: it has one itself. */
  readonly waitsForLog: boolean;
  /** Settings that put data at risk, in words for the operator. */
  readonly warnings: readonly string[];
}

/** Format 1 knew no checksums; a writer raises it before it writes any. */
const FORMAT = 2;
const READABLE: ReadonlySet<unknown> = new Set([1, FORMAT]);

/** @throws Error for a server that is too old, or a replica */
export async function inspectServer(connection: Connection): Promise<ServerFacts> {
  const ask = (...command: string[]) => connection.retry(() => connection.send(command));
  const info = parseInfo(String(await ask('INFO')));
  const name = info.has('valkey_version')
    ? `valkey ${info.get('valkey_version')}`
    : `redis ${info.get('redis_version') ?? 'of unknown version'}`;
  const [major = 0, minor = 0] = (info.get('redis_version') ?? '').split('.').map(Number);
  if (major < 6 || (major === 6 && minor < 2)) {
    throw new Error(`The server is ${name}; Parley needs Redis 6.2 or Valkey 7.2, or newer`);
  }
  const [json] = (await ask('COMMAND', 'INFO', 'JSON.SET')) as (unknown[] | null)[];
  return {
    name,
    shebang: major >= 7,
    waitsForLog: (major > 7 || (major === 7 && minor >= 2)) && info.get('aof_enabled') === '1',
    hasJson: json !== null && json !== undefined && json.length > 0,
    warnings: riskySettings(info, await readSettings(connection, RISKY)),
  };
}

/**
 * Names the line of states that a server answers from, by what `INFO` says: its process, and what its replicas copy, which
 * changes when a replica takes its place.
 */
export function lineageIn(info: string): string {
  const facts = parseInfo(info);
  return `${facts.get('run_id')} ${facts.get('master_replid')}`;
}

/** Settings by name; without those the server does not let us read. */
export async function readSettings(
  connection: Connection,
  names: readonly string[],
): Promise<Map<string, string>> {
  const settings = new Map<string, string>();
  for (const name of names) {
    const reply = await connection.retry(() =>
      connection.send(['CONFIG', 'GET', name]).catch((error: unknown) => {
        if (mayPass(error)) throw error;
        return [];
      }),
    );
    const [, value] = reply as string[];
    if (value !== undefined) settings.set(name, value);
  }
  return settings;
}

function riskySettings(
  info: ReadonlyMap<string, string>,
  settings: ReadonlyMap<string, string>,
): string[] {
  const warnings: string[] = [];
  const fsync = settings.get('appendfsync');
  if (info.get('aof_enabled') === '0') {
    warnings.push(
      'appendonly is no: when Redis ends, everything acknowledged since its last snapshot is lost. ' +
        'Set appendonly yes and appendfsync always.',
    );
  } else if (fsync === undefined) {
    warnings.push(
      'appendfsync cannot be read: unless it is always, a crash of the Redis host loses the last ' +
        'acknowledged changes.',
    );
  } else if (fsync !== 'always') {
    const span = fsync === 'everysec' ? 'the last second or two' : 'some 30 seconds';
    warnings.push(
      `appendfsync is ${fsync}: a crash of the Redis host loses acknowledged changes of ${span}. ` +
        'Set appendfsync always.',
    );
  }
  const policy = settings.get('maxmemory-policy') ?? info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    warnings.push(
      `maxmemory-policy is ${policy}: when memory is full, Redis deletes ` +
        `${policy.startsWith('volatile') ? 'the lease of the writer' : 'documents and the journal'}` +
        '. Set maxmemory-policy noeviction.',
    );
  }
  return warnings;
}

/**
 * The form documents are kept in: what the first to open the organization found, because one commit
 * cannot convert them all.
 * @throws Error when the server cannot read what is there, or a key that goes with the others is missing
 */
export async function agreeOnFormat(
  connection: Connection,
  keys: KeySpace,
  hasJson: boolean,
  description: string,
): Promise<{ format: DocumentFormat; isOlder: boolean; warnings: string[] }> {
  const ours = JSON.stringify({ format: FORMAT, documents: hasJson ? 'json' : 'text' });
  const found = await connection.retry(async () => {
    const marks = [keys.format, keys.writer, keys.journal];
    const there = await Promise.all(marks.map((key) => connection.send(['EXISTS', key])));
    const [hasFormat, hasWriter, hasJournal] = there.map((one) => one === 1);
    const missing = (key: string): Error => new DamagedError(description, key, 'it is missing');
    // Whoever begins an organization makes them in this order.
    if (!hasFormat && (hasWriter || hasJournal)) throw missing(keys.format);
    if (!hasWriter && hasJournal) throw missing(keys.writer);
    await connection.send(['SET', keys.format, ours, 'NX']);
    return connection.send(['GET', keys.format]);
  });
  const { format, documents } = JSON.parse(String(found)) as Record<string, unknown>;
  if (!READABLE.has(format) || (documents !== 'json' && documents !== 'text')) {
    const shown = String(format);
    throw new Error(`The store has format ${shown}, this version reads formats 1 and ${FORMAT}`);
  }
  if (documents === 'json' && !hasJson) {
    throw new Error('The store holds JSON values, and this server has no JSON commands');
  }
  const kept = documents === 'text' && hasJson;
  const warnings = kept
    ? ['Documents stay JSON text, as they were begun: export and import to turn them into values.']
    : [];
  return { format: documents, isOlder: format !== FORMAT, warnings };
}

/** Raises the format of an older store, so that builds of that time do not try to read it. */
export async function raiseFormat(
  connection: Connection,
  keys: KeySpace,
  documents: DocumentFormat,
): Promise<void> {
  const raised = JSON.stringify({ format: FORMAT, documents });
  await connection.retry(async () => {
    await countAll(connection, keys);
    await connection.send(['SET', keys.format, raised]);
  });
}

/** Facts of `INFO` by name. */
export function parseInfo(text: string): Map<string, string> {
  const facts = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) facts.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return facts;
}
