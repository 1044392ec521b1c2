import { placeOf, ServerError, type Change, type Database, type Value } from './database.js';
import { withValue } from './json.js';

/** What a command reads, and how it changes the keys. */
export interface Work {
  readonly db: Database;
  readonly change: (change: Change) => void;
  /** Milliseconds, by the server's clock. */
  readonly now: number;
  /** Whether the server has the commands of RedisJSON. */
  readonly hasJson: boolean;
  /** Another one for each of the server's processes. */
  readonly life: string;
  readonly version: string;
  /** What `INFO replication` says. */
  readonly replication: () => string;
}

type Script = (work: Work, keys: readonly string[], args: readonly string[]) => unknown;

/**
 * The scripts of `src/store/redis/scripts`, written again here: each reads and changes the same keys in the same order
 * of decisions. The tests of the store compare the originals with a real server.
 */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  commit,
  settle({ db, change }, [writer], [token, session, attempt]) {
    const state = stateOf(db, writer!);
    const number = Number(attempt);
    if (state.token < Number(token)) return 'LOST';
    if (state.token > Number(token) || state.session !== session) {
      const landed = state.previousSession === session && state.previousLanded === number;
      if (landed && state.replicas !== null) {
        change({ op: 'fields', key: writer!, fields: { previous_landed: attempt! } });
      }
      return landed ? 'LANDED' : 'FENCED';
    }
    if (state.attempt < number - 1) return 'LOST';
    if (state.attempt < number || state.replicas !== null) {
      const highest = String(Math.max(state.attempt, number));
      change({ op: 'fields', key: writer!, fields: { attempt: highest } });
    }
    return state.landed === number ? 'LANDED' : 'ABSENT';
  },
  'acquire-lease'({ db, change, now }, [lease, writer, told], args) {
    const [session, holder, ms, former, wanted] = args;
    const held = db.text(lease!);
    if (held !== null && held !== session && held !== former) return null;
    const state = stateOf(db, writer!);
    let { token } = state;
    if (state.session !== session) {
      token++;
      if (state.session !== null && state.session !== '') {
        const previous_session = state.session;
        const previous_landed = String(state.landed);
        change({ op: 'fields', key: writer!, fields: { previous_session, previous_landed } });
      }
      const fields = { token: String(token), session: session!, holder: holder! };
      change({ op: 'fields', key: writer!, fields: { ...fields, attempt: '0', landed: '0' } });
      if (wanted === '0') {
        if (state.replicas !== null) {
          change({ op: 'fields', key: writer!, fields: { replicas: null } });
        }
      } else {
        if (state.replicas === null && state.seq > state.replicated) {
          tellReplicated(change, writer!, told!, state.seq);
        }
        change({ op: 'fields', key: writer!, fields: { replicas: wanted! } });
      }
    }
    const value = { type: 'string', text: session! } as const;
    change({ op: 'set', key: lease!, value, until: now + Number(ms) });
    return [token, state.seq];
  },
  'renew-lease'({ db, change, now }, [lease, writer], [session, ms, token, attempt]) {
    const state = stateOf(db, writer!);
    if (state.token < Number(token)) return 'LOST';
    if (state.token > Number(token) || state.session !== session) return 'FENCED';
    if (state.attempt < Number(attempt)) return 'LOST';
    const until = now + Number(ms);
    if (db.value(lease!)) change({ op: 'expire', key: lease!, until });
    else change({ op: 'set', key: lease!, value: { type: 'string', text: session }, until });
    return 'OK';
  },
  'release-lease'({ db, change, now }, [lease, writer, freed], [session]) {
    if (db.text(lease!) === session) {
      change({ op: 'delete', key: lease! });
      const value = { type: 'list', items: ['1'] } satisfies Value;
      change({ op: 'set', key: freed!, value, until: now + 1000 });
    }
    const state = stateOf(db, writer!);
    if (state.session === session) {
      const previous_landed = String(state.landed);
      const fields = { session: '', previous_session: session, previous_landed };
      change({ op: 'fields', key: writer!, fields });
    }
    return 'OK';
  },
  trim({ db, change }, [writer, journal], [session, position, token]) {
    const state = stateOf(db, writer!);
    if (state.token < Number(token)) return 'LOST';
    if (state.token > Number(token) || state.session !== session) return 'FENCED';
    const before = Math.min(Number(position), state.seq);
    if (before === 0) return 'OK';
    const { ids } = db.get(journal!, 'stream') ?? { ids: [] };
    const last = ids[placeOf(ids, before) - 1];
    if (last !== undefined) {
      change({ op: 'trim', key: journal!, before });
      change({ op: 'fields', key: writer!, fields: { trimmed: String(last) } });
    }
    return 'OK';
  },
  replicated({ db, change }, [writer, told], [session, position]) {
    const state = stateOf(db, writer!);
    if (state.session !== session) return 'FENCED';
    const replicated = Number(position);
    if (replicated > state.seq) return 'LOST';
    if (replicated > state.replicated) tellReplicated(change, writer!, told!, replicated);
    return 'OK';
  },
  newest({ db, change }, [writer]) {
    change({ op: 'fields', key: writer!, fields: { asked: '' } });
    return stateOf(db, writer!).seq;
  },
  listings({ db }, [writer, ...sets]) {
    return sets.flatMap((set) => [
      db.get(set, 'zset')?.scores.size ?? 0,
      db.field(writer!, `count:${set}`),
    ]);
  },
};

function tellReplicated(change: Work['change'], writer: string, told: string, to: number): void {
  change({ op: 'fields', key: writer, fields: { replicated: String(to) } });
  change({ op: 'add', key: told, id: to, text: '' });
  change({ op: 'trim', key: told, before: to });
}

function commit(work: Work, keys: readonly string[], args: readonly string[]): unknown {
  const { db, change } = work;
  const [writer, journal] = keys as [string, string];
  const state = stateOf(db, writer);
  const [token, session, number, format] = args;
  const isJson = format === 'json';
  if (isJson && !work.hasJson) throw new ServerError(`ERR unknown command 'JSON.SET'`);
  const attempt = Number(number);
  if (state.token < Number(token)) return 'LOST';
  if (state.token > Number(token) || state.session !== session) return 'FENCED';
  if (attempt <= state.attempt) return 'STALE';
  if (attempt > state.attempt + 1) return 'LOST';
  const [entries, sets, merges, deletes, sorted] = args.slice(4, 9).map(Number) as Counts;
  if (!isJson && merges > 0) throw new ServerError('ERR texts are written as a whole');
  const rest = new Arguments(args, 9);
  let { seq } = state;
  for (let i = 0; i < entries; i++) {
    const position = Number(args[9 + 2 * i]);
    if (position <= seq) return `POSITION ${seq}`;
    seq = position;
  }
  const listings = keys.slice(keys.length - sorted);
  const fault =
    typeFault(db, [journal], 'stream') ??
    typeFault(db, listings, 'zset') ??
    (isJson ? documentFault(db, keys.slice(2, 2 + sets + merges), sets) : null);
  if (fault !== null) return fault;
  // From here on nothing is taken back, whatever fails.
  for (let i = 0; i < entries; i++) {
    change({ op: 'add', key: journal, id: rest.number(), text: rest.text() });
  }
  let key = 2;
  for (let i = 0; i < sets; i++) {
    const text = rest.text();
    const value: Value = isJson
      ? { type: 'ReJSON-RL', json: withValue(null, '$', text) }
      : { type: 'string', text };
    change({ op: 'set', key: keys[key++]!, value });
  }
  for (let i = 0; i < merges; i++) {
    const name = keys[key++]!;
    for (let left = rest.number(); left > 0; left--) {
      const whole = db.get(name, 'ReJSON-RL')?.json;
      const value = {
        type: 'ReJSON-RL',
        json: withValue(whole, rest.text(), rest.text()),
      } as const;
      change({ op: 'set', key: name, value });
    }
  }
  for (let i = 0; i < deletes; i++) change({ op: 'delete', key: keys[key++]! });
  for (let i = 0; i < sorted; i++) changeSorted(work, writer, keys[key++]!, rest);
  const fields = { attempt: number!, landed: number!, seq: String(seq) };
  change({ op: 'fields', key: writer, fields });
  return 'OK';
}

/** What keys of another type than they have in the store make of a commit, in either form of documents. */
function typeFault(db: Database, keys: readonly string[], wanted: Value['type']): string | null {
  for (const key of keys) {
    const type = db.value(key)?.type;
    if (type !== undefined && type !== wanted) return `TYPE ${key}`;
  }
  return null;
}

/** The same of values, and of one that is not there to be merged into. Texts are put in the place of whatever is there. */
function documentFault(db: Database, keys: readonly string[], sets: number): string | null {
  for (const [i, key] of keys.entries()) {
    const fault = typeFault(db, [key], 'ReJSON-RL');
    if (fault !== null) return fault;
    if (i >= sets && !db.value(key)) return 'ABSENT';
  }
  return null;
}

type Counts = [number, number, number, number, number];

function changeSorted({ db, change }: Work, writer: string, key: string, rest: Arguments): void {
  const sizeOf = (): number => db.get(key, 'zset')?.scores.size ?? 0;
  const before = sizeOf();
  const [adds, removes] = [rest.number(), rest.number()];
  for (let i = 0; i < adds; i++) {
    const score = rest.number();
    if (Number.isNaN(score)) throw new ServerError('ERR value is not a valid float');
    change({ op: 'member', key, member: rest.text(), score });
  }
  for (let i = 0; i < removes; i++) change({ op: 'member', key, member: rest.text(), score: null });
  const difference = sizeOf() - before;
  if (difference === 0) return;
  const field = `count:${key}`;
  const counted = db.field(writer, field);
  const count = counted === null ? sizeOf() : Number(counted) + difference;
  change({ op: 'fields', key: writer, fields: { [field]: String(count) } });
}

/** Arguments that are taken one after the other. */
class Arguments {
  constructor(
    private readonly all: readonly string[],
    private at: number,
  ) {}

  text(): string {
    return this.all[this.at++]!;
  }

  number(): number {
    return Number(this.text());
  }
}

function stateOf(db: Database, writer: string) {
  const number = (name: string): number => Number(db.field(writer, name) ?? '0');
  return {
    token: number('token'),
    session: db.field(writer, 'session'),
    attempt: number('attempt'),
    landed: number('landed'),
    seq: number('seq'),
    previousSession: db.field(writer, 'previous_session'),
    previousLanded: number('previous_landed'),
    replicas: db.field(writer, 'replicas'),
    replicated: number('replicated'),
  };
}
