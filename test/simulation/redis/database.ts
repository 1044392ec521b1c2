/** One change of a key: what replicas get, too. */
export type Change =
  | { readonly op: 'set'; readonly key: string; readonly value: Value; readonly until?: number }
  | { readonly op: 'expire'; readonly key: string; readonly until: number }
  | { readonly op: 'delete'; readonly key: string }
  | {
      readonly op: 'fields';
      readonly key: string;
      /** Null takes one away. */
      readonly fields: Readonly<Record<string, string | null>>;
    }
  | { readonly op: 'add'; readonly key: string; readonly id: number; readonly text: string }
  | { readonly op: 'trim'; readonly key: string; readonly before: number }
  | {
      readonly op: 'member';
      readonly key: string;
      readonly member: string;
      readonly score: number | null;
    };

/** A value of a key by its type: text, JSON, list, hash, stream by ascending position, sorted set by member. */
export type Value =
  | { readonly type: 'string'; readonly text: string }
  | { readonly type: 'ReJSON-RL'; readonly json: unknown }
  | { readonly type: 'list'; readonly items: string[] }
  | { readonly type: 'hash'; readonly fields: Map<string, string> }
  | { readonly type: 'stream'; ids: number[]; readonly texts: Map<number, string> }
  | {
      readonly type: 'zset';
      readonly scores: Map<string, number>;
      ranked: readonly Member[] | null;
    };

/** A member of a sorted set; its name in bytes, by which members of one score are in order. */
export interface Member {
  readonly name: string;
  readonly bytes: Buffer;
  readonly score: number;
}

type Kind = Value['type'];
type ValueOf<K extends Kind> = Extract<Value, { type: K }>;

/** What a server refuses a command with. */
export class ServerError extends Error {}

/** The keys of one server. */
export class Database {
  readonly #values = new Map<string, Value>();
  readonly #until = new Map<string, number>();

  /** @param now milliseconds, by which keys expire */
  constructor(private readonly now: () => number) {}

  /** A value; undefined where there is none, or it has expired. @throws ServerError for one of another type */
  get<K extends Kind>(key: string, type: K): ValueOf<K> | undefined {
    const value = this.value(key);
    if (value === undefined || value.type === type) return value as ValueOf<K> | undefined;
    throw new ServerError('WRONGTYPE Operation against a key holding the wrong kind of value');
  }

  value(key: string): Value | undefined {
    if ((this.#until.get(key) ?? Infinity) > this.now()) return this.#values.get(key);
    return undefined;
  }

  text(key: string): string | null {
    return this.get(key, 'string')?.text ?? null;
  }

  field(key: string, name: string): string | null {
    return this.get(key, 'hash')?.fields.get(name) ?? null;
  }

  /** Members of a sorted set by score, then by bytes. They are put in order once, until one of them changes. */
  ranked(key: string): readonly Member[] {
    const set = this.get(key, 'zset');
    if (!set) return [];
    return (set.ranked ??= Array.from(set.scores, ([name, score]) => ({
      name,
      bytes: Buffer.from(name),
      score,
    })).sort((a, b) => a.score - b.score || a.bytes.compare(b.bytes)));
  }

  /** Names of keys, in order. */
  keys(): string[] {
    return [...this.#values.keys()].filter((key) => this.value(key) !== undefined).sort();
  }

  /** What another server begins with that copies this one. */
  copy(): Database {
    const copied = new Database(this.now);
    for (const key of this.keys()) {
      for (const change of madeOf(key, this.value(key)!)) copied.apply(change);
      const until = this.#until.get(key);
      if (until !== undefined) copied.apply({ op: 'expire', key, until });
    }
    return copied;
  }

  apply(change: Change): void {
    const { key } = change;
    if (this.value(key) === undefined) this.#forget(key);
    switch (change.op) {
      case 'set':
        this.#values.set(key, change.value);
        if (change.until === undefined) this.#until.delete(key);
        else this.#until.set(key, change.until);
        return;
      case 'expire':
        if (this.#values.has(key)) this.#until.set(key, change.until);
        return;
      case 'delete':
        this.#forget(key);
        return;
      case 'fields': {
        const { fields } = this.#made(key, 'hash', () => ({ type: 'hash', fields: new Map() }));
        for (const [name, text] of Object.entries(change.fields)) {
          if (text === null) fields.delete(name);
          else fields.set(name, text);
        }
        return;
      }
      case 'add': {
        const make = (): ValueOf<'stream'> => ({ type: 'stream', ids: [], texts: new Map() });
        const { ids, texts } = this.#made(key, 'stream', make);
        ids.push(change.id);
        texts.set(change.id, change.text);
        return;
      }
      case 'trim': {
        const stream = this.get(key, 'stream');
        if (!stream) return;
        const first = placeOf(stream.ids, change.before);
        for (const id of stream.ids.slice(0, first)) stream.texts.delete(id);
        stream.ids = stream.ids.slice(first);
        return;
      }
      case 'member': {
        const make = (): ValueOf<'zset'> => ({ type: 'zset', scores: new Map(), ranked: null });
        const set = this.#made(key, 'zset', make);
        const { scores } = set;
        set.ranked = null;
        if (change.score === null) scores.delete(change.member);
        else scores.set(change.member, change.score);
        if (scores.size === 0) this.#forget(key);
      }
    }
  }

  #made<K extends Kind>(key: string, type: K, make: () => ValueOf<K>): ValueOf<K> {
    const found = this.get(key, type) ?? make();
    this.#values.set(key, found);
    return found;
  }

  #forget(key: string): void {
    this.#values.delete(key);
    this.#until.delete(key);
  }
}

/** Changes that make a value where none is. */
function madeOf(key: string, value: Value): Change[] {
  switch (value.type) {
    case 'string':
    case 'ReJSON-RL':
    case 'list':
      return [{ op: 'set', key, value }];
    case 'hash':
      return [{ op: 'fields', key, fields: Object.fromEntries(value.fields) }];
    case 'stream':
      return Array.from(value.texts, ([id, text]) => ({ op: 'add', key, id, text }));
    case 'zset':
      return Array.from(value.scores, ([member, score]) => ({ op: 'member', key, member, score }));
  }
}

/** Where the first of ascending numbers is that is no smaller. */
export function placeOf(numbers: readonly number[], least: number): number {
  let [from, to] = [0, numbers.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (numbers[middle]! < least) from = middle + 1;
    else to = middle;
  }
  return from;
}
