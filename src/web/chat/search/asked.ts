import type { NarrowTerm, User } from '../../../client/index.js';
import { say } from '../say.js';
import { isolated, narrowOf, type View } from '../view.js';
import { dayAt, queryOf, type Filter } from './query.js';

/** What the server is asked for. */
export interface Asked {
  readonly narrow: NarrowTerm[];
  /** Only messages of this time and later, and only earlier ones. UNIX time in seconds. */
  readonly after?: number;
  readonly before?: number;
}

/** People and channels, by whose names a search is narrowed. */
interface Known {
  readonly me: User;
  readonly users: ReadonlyMap<number, User> & { whole(): Promise<void> };
  readonly channels: ReadonlyMap<number, { readonly name: string }>;
  readonly channelNames: ReadonlyMap<number, string>;
}

/** @throws Error whose message says that a filter names somebody or something that there is not */
export async function askedOf(known: Known, view: View): Promise<Asked> {
  if (view.kind !== 'search') return { narrow: narrowOf(view) };
  const { filters, words } = queryOf(view.text);
  if (filters.some(({ operator }) => operator === 'from' || operator === 'dm'))
    await known.users.whole();
  const narrow: NarrowTerm[] = filters
    .map((filter) => termOf(known, filter))
    .filter((term) => term !== null);
  if (words !== '') narrow.push({ operator: 'search', operand: words });
  const days = (wanted: Filter['operator']): number[] =>
    filters.flatMap(({ operator, value }) => (operator === wanted ? dayAt(value)! : []));
  const [after, before] = [Math.max(...days('after')), Math.min(...days('before'))];
  return {
    narrow,
    ...(Number.isFinite(after) ? { after } : {}),
    ...(Number.isFinite(before) ? { before } : {}),
  };
}

function termOf(known: Known, { operator, value, negated }: Filter): NarrowTerm | null {
  switch (operator) {
    case 'from':
      return { operator: 'sender', operand: personOf(known, value), negated };
    case 'dm':
      return { operator: 'dm', operand: [personOf(known, value)], negated };
    case 'in':
      return { operator: 'channel', operand: channelOf(known, value), negated };
    case 'before':
    case 'after':
      return null;
    default:
      return { operator, operand: value, negated };
  }
}

/** The id of somebody who is named so, or has the beginning of a name for themselves; an address is for the server. */
export function personOf(
  { me, users }: Pick<Known, 'me' | 'users'>,
  value: string,
): number | string {
  if (value.toLowerCase() === 'me') return me.user_id;
  if (value.includes('@')) return value;
  const id = Number(/\|(\d+)$/.exec(value)?.[1]);
  if (users.has(id)) return id;
  const named = [...users.values()].map(({ user_id, full_name }) => [user_id, full_name] as const);
  const found = namesLike(named, value);
  if (found.length === 1) return found[0]!;
  const name = isolated(value);
  throw new Error(say(found.length === 0 ? 'search.nobody' : 'search.several', { name }));
}

/** As above, of a channel. */
export function channelOf(
  { channels, channelNames }: Pick<Known, 'channels' | 'channelNames'>,
  value: string,
): number {
  const named = [...channelNames, ...[...channels].map(([id, { name }]) => [id, name] as const)];
  const found = namesLike(named, value.replace(/^#/, ''));
  if (found.length === 1) return found[0]!;
  throw new Error(say('search.no-channel', { channel: isolated(value) }));
}

/** Ids of what is named so; where nothing is, of what begins so. */
function namesLike(named: Iterable<readonly [number, string]>, value: string): number[] {
  const wanted = value.toLowerCase();
  const [same, begun] = [new Set<number>(), new Set<number>()];
  for (const [id, name] of named) {
    const known = name.toLowerCase();
    if (known === wanted) same.add(id);
    else if (known.startsWith(wanted)) begun.add(id);
  }
  return [...(same.size > 0 ? same : begun)];
}
