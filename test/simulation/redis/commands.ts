import { placeOf, ServerError, type Database } from './database.js';
import type { Work } from './scripts.js';

type Command = (work: Work, args: readonly string[]) => unknown;

/** Commands that change something: what a replica, or a server that cannot persist, refuses. */
export const WRITING: ReadonlySet<string> = new Set(['SET', 'HSETNX', 'BLPOP']);
/** Those that need memory, which a full server refuses, also where they would change nothing. */
export const GROWING: ReadonlySet<string> = new Set(['SET', 'HSETNX']);

/** The commands that the product sends beside scripts and those that wait. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  INFO: ({ life, version, replication }, [section]) =>
    section === 'replication'
      ? replication()
      : `redis_version:${version}\r\nrun_id:${life}\r\naof_enabled:1\r\n`,
  COMMAND: ({ hasJson }) => [hasJson ? ['json.set', -4] : null],
  CONFIG: (_work, [, name]) => [name, SETTINGS[name!]],
  EXISTS: ({ db }, [key]) => (db.value(key!) ? 1 : 0),
  TYPE: ({ db }, [key]) => db.value(key!)?.type ?? 'none',
  GET: ({ db }, [key]) => db.text(key!),
  SET: ({ db, change }, [key, text, nx]) => {
    if (nx === 'NX' && db.value(key!)) return null;
    change({ op: 'set', key: key!, value: { type: 'string', text: text! } });
    return 'OK';
  },
  /** Unlike GET, it answers for a key of another type as for none. */
  MGET: ({ db }, keys) =>
    keys.map((key) => {
      const value = db.value(key);
      return value?.type === 'string' ? value.text : null;
    }),
  /** Whole values alone: the product asks for no part of one. */
  'JSON.MGET': ({ db, hasJson }, args) => {
    if (!hasJson) throw new ServerError(`ERR unknown command 'JSON.MGET'`);
    return args.slice(0, -1).map((key) => {
      const value = db.value(key);
      return value?.type === 'ReJSON-RL' ? JSON.stringify([value.json]) : null;
    });
  },
  HGET: ({ db }, [key, name]) => db.field(key!, name!),
  HMGET: ({ db }, [key, ...names]) => names.map((name) => db.field(key!, name)),
  HGETALL: ({ db }, [key]) => [...(db.get(key!, 'hash')?.fields ?? [])].flat(),
  HSETNX: ({ db, change }, [key, name, text]) => {
    if (db.field(key!, name!) !== null) return 0;
    change({ op: 'fields', key: key!, fields: { [name!]: text! } });
    return 1;
  },
  XRANGE: ({ db }, [key, from, to, , count]) => {
    const [least, most] = [from === '-' ? 0 : Number(from), to === '+' ? Infinity : Number(to)];
    return entriesOf(db, key!, least, most, Number(count));
  },
  /** The newest alone, of those up to one: the product asks for no more. */
  XREVRANGE: ({ db }, [key, to]) => {
    const { ids } = db.get(key!, 'stream') ?? { ids: [] };
    const newest = ids[placeOf(ids, to === '+' ? Infinity : Number(to) + 1) - 1];
    return newest === undefined ? [] : entriesOf(db, key!, newest, newest, 1);
  },
  ZCARD: ({ db }, [key]) => db.get(key!, 'zset')?.scores.size ?? 0,
  ZSCORE: ({ db }, [key, member]) => {
    const score = db.get(key!, 'zset')?.scores.get(member!);
    return score === undefined ? null : scoreText(score);
  },
  ZRANGEBYSCORE: ({ db }, [key, from, to, ...options]) => {
    const isAfter = from!.startsWith('(');
    const least = from === '-inf' ? -Infinity : Number(from!.replace('(', ''));
    const most = to === '+inf' ? Infinity : Number(to);
    const found = db
      .ranked(key!)
      .filter(({ score }) => (isAfter ? score > least : score >= least) && score <= most);
    const limited = limit(found, options);
    if (!options.includes('WITHSCORES')) return limited.map(({ name }) => name);
    return limited.flatMap(({ name, score }) => [name, scoreText(score)]);
  },
  ZRANGEBYLEX: ({ db }, [key, from, , ...options]) => {
    const after = from === '-' ? null : Buffer.from(from!.slice(1));
    const found = db.ranked(key!).filter(({ bytes }) => after === null || bytes.compare(after) > 0);
    return limit(found, options).map(({ name }) => name);
  },
  SCAN: ({ db }, [, , pattern]) => {
    const [before = ''] = pattern!.split('*');
    return ['0', db.keys().filter((key) => key.startsWith(before))];
  },
};

const SETTINGS: Readonly<Record<string, string>> = {
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
};

/** Entries of a stream, as the server gives them. */
export function entriesOf(
  db: Database,
  key: string,
  least: number,
  most: number,
  count: number,
): unknown[] {
  const stream = db.get(key, 'stream');
  if (!stream) return [];
  const first = placeOf(stream.ids, least);
  const ids = stream.ids.slice(first, first + count).filter((id) => id <= most);
  return ids.map((id) => [`${id}-0`, ['entry', stream.texts.get(id)]]);
}

/** Digits that a server writes of a score: as many as tell any two apart, and so more than were sent of a fraction. */
const SCORE_DIGITS = 17;

/** A score as servers before 7.2 write it (`%.17g`): 0.1 comes back as 0.10000000000000001. */
export function scoreText(score: number): string {
  if (!Number.isFinite(score)) return score > 0 ? 'inf' : '-inf';
  const [digits = '', power = '0'] = score.toExponential(SCORE_DIGITS - 1).split('e');
  const exponent = Number(power);
  const short = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  if (exponent >= -4 && exponent < SCORE_DIGITS) {
    return short(score.toFixed(Math.min(100, Math.max(0, SCORE_DIGITS - 1 - exponent))));
  }
  const size = String(Math.abs(exponent)).padStart(2, '0');
  return `${short(digits)}e${exponent < 0 ? '-' : '+'}${size}`;
}

function limit<T>(found: readonly T[], options: readonly string[]): readonly T[] {
  const at = options.indexOf('LIMIT');
  if (at < 0) return found;
  const [from, count] = [Number(options[at + 1]), Number(options[at + 2])];
  return found.slice(from, from + count);
}

/** @throws ServerError */
export function commandOf(name: string): Command {
  const command = COMMANDS[name];
  if (!command) throw new ServerError(`ERR unknown command '${name}'`);
  return command;
}
