/** What a search can be narrowed by, under all names that people know from elsewhere. */
const OPERATORS = {
  from: 'from',
  sender: 'from',
  in: 'in',
  channel: 'in',
  stream: 'in',
  topic: 'topic',
  subject: 'topic',
  dm: 'dm',
  'pm-with': 'dm',
  has: 'has',
  is: 'is',
  before: 'before',
  after: 'after',
  since: 'after',
} as const;

export type Operator = (typeof OPERATORS)[keyof typeof OPERATORS];

/** Operators as they are offered, with the values of those that have few; each value by what it says in a filter. */
export const VALUES = {
  from: null,
  in: null,
  topic: null,
  dm: null,
  has: {
    attachment: 'search.has-attachment',
    image: 'search.has-image',
    link: 'search.has-link',
    reaction: 'search.has-reaction',
  },
  is: {
    dm: 'search.is-dm',
    starred: 'search.is-starred',
    unread: 'search.is-unread',
    mentioned: 'search.is-mentioned',
    alerted: 'search.is-alerted',
    resolved: 'search.is-resolved',
    followed: 'search.is-followed',
    muted: 'search.is-muted',
  },
  before: null,
  after: null,
} as const satisfies Record<Operator, Record<string, string> | null>;

export interface Filter {
  readonly operator: Operator;
  readonly value: string;
  readonly negated: boolean;
  /** As it was written. */
  readonly text: string;
}

/** What is searched for: filters, and the words and phrases beside them. */
export interface Query {
  readonly filters: readonly Filter[];
  readonly words: string;
}

/** A filter, a phrase, or a word. */
const PART = /(-?)([a-z-]+):(?:"([^"]*)"|([^\s"]+))(?!\S)|"[^"]*"?|\S+/gi;

/** Reads what was typed; what is no filter is a word. */
export function queryOf(text: string): Query {
  const filters: Filter[] = [];
  const words: string[] = [];
  for (const [part, sign, name, quoted, plain] of text.matchAll(PART)) {
    const operator = operatorOf(name ?? '');
    const value = (quoted ?? plain ?? '').trim();
    const negated = sign === '-';
    if (operator && isValue(operator, value, negated)) {
      const isFixed = VALUES[operator] !== null;
      filters.push({ operator, value: isFixed ? value.toLowerCase() : value, negated, text: part });
    } else words.push(part);
  }
  return { filters, words: words.join(' ') };
}

/** The operator of a name; undefined where it is none. */
export function operatorOf(name: string): Operator | undefined {
  const known = name.toLowerCase();
  return Object.hasOwn(OPERATORS, known) ? OPERATORS[known as keyof typeof OPERATORS] : undefined;
}

/** Without one of its filters. */
export function without({ filters, words }: Query, filter: Filter): string {
  const left = filters.filter((one) => one !== filter).map(({ text }) => text);
  return [...left, words].join(' ').trim();
}

/** A value as it stands behind its operator. */
export function quoted(value: string): string {
  return /^[^\s"]+$/.test(value) ? value : `"${value}"`;
}

/** Beginning of the local day, UNIX time in seconds; null where there is no such day. */
export function dayAt(text: string): number | null {
  const [, year, month, day] = (/^(\d{4})-(\d\d?)-(\d\d?)$/.exec(text) ?? []).map(Number);
  if (year === undefined) return null;
  const at = new Date(year, month! - 1, day);
  return at.getMonth() === month! - 1 && at.getDate() === day ? at.getTime() / 1000 : null;
}

function isValue(operator: Operator, value: string, negated: boolean): boolean {
  const values = VALUES[operator];
  if (values) return Object.hasOwn(values, value.toLowerCase());
  if (operator === 'before' || operator === 'after') return !negated && dayAt(value) !== null;
  return value !== '';
}
