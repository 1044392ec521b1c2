import type { TSchema } from 'typebox';
import { compileSchema, hadPrototype } from './schema-check.js';

/** A member that no schema declares. */
interface UnknownMember {
  /** Its place below the value: `[3]["colour"]`. */
  readonly at: string;
  /** The same without positions in lists: `[]["colour"]`. */
  readonly kind: string;
}

/** How many more members a search takes: those of an attack would cost more than all else of the request. */
interface Search {
  left: number;
}

type Find = (value: unknown, search: Search) => readonly UnknownMember[];

/** Most members that are told of a parameter: more than a client has by mistake. */
const MAX_TOLD = 100;

const NONE: readonly UnknownMember[] = [];

/** The keywords of a parameter's schema that hold other schemas. */
interface Nesting {
  /** What the handler checks. */
  readonly told?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema | readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
}

/**
 * Compiles a search for the members of objects within a parameter that its schema does not declare, and that are
 * therefore ignored (requests.md#unsupported). The search takes values that have passed the schema's check.
 *
 * @param where names the schema in errors at start
 * @returns places relative to the value, each kind at its first place only: the entries of a list tend to have the
 * same members; at most 100. `undefined` if the schema has no object whose members it names.
 */
export function unknownMembersOf(
  schema: TSchema,
  where: string,
): ((value: unknown) => readonly string[]) | undefined {
  const find = finder(schema, where);
  return find && ((value) => find(value, { left: MAX_TOLD }).map(({ at }) => at));
}

function finder(schema: TSchema, where: string): Find | undefined {
  const own = schema as Nesting;
  const s: Nesting = { ...own, ...own.told };
  if (s.anyOf) return inUnion(s.anyOf, where);
  if (Array.isArray(s.items)) return inTuple(s.items as readonly TSchema[], where);
  if (s.items) return inList(finder(s.items, where));
  if (s.patternProperties) return inRecord(s.patternProperties, where);
  return s.properties && inObject(s.properties, where);
}

/** Members belong to the first alternative that accepts the value, as in its check. */
function inUnion(alternatives: readonly TSchema[], where: string): Find | undefined {
  const compiled = alternatives.map((one) => ({
    check: compileSchema(one, where).check,
    find: finder(one, where),
  }));
  if (compiled.every(({ find }) => find === undefined)) return undefined;
  return (value, search) => {
    if (typeof value !== 'object' || value === null) return NONE;
    return compiled.find(({ check }) => !check(value))?.find?.(value, search) ?? NONE;
  };
}

function inTuple(members: readonly TSchema[], where: string): Find | undefined {
  const finders = members.map((one) => finder(one, where));
  if (finders.every((find) => find === undefined)) return undefined;
  return (value, search) =>
    inEntries(value as readonly unknown[], search, (place) => finders[place]);
}

function inList(find: Find | undefined): Find | undefined {
  return find && ((value, search) => inEntries(value as readonly unknown[], search, () => find));
}

function inEntries(
  list: readonly unknown[],
  search: Search,
  findOf: (place: number) => Find | undefined,
): readonly UnknownMember[] {
  let found: Map<string, UnknownMember> | undefined;
  for (let place = 0; place < list.length && search.left > 0; place++) {
    for (const { at, kind } of findOf(place)?.(list[place], search) ?? NONE) {
      if (found?.has(kind)) search.left++;
      else (found ??= new Map()).set(kind, { at: `[${place}]${at}`, kind: `[]${kind}` });
    }
  }
  return found ? [...found.values()] : NONE;
}

/** A record has any names; only the values may hold objects. */
function inRecord(patterns: Readonly<Record<string, TSchema>>, where: string): Find | undefined {
  const finders = Object.entries(patterns).map(([pattern, schema]) => ({
    matches: new RegExp(pattern, 'u'),
    find: finder(schema, where),
  }));
  if (finders.every(({ find }) => find === undefined)) return undefined;
  return (value, search) =>
    inMembers(
      value,
      search,
      (key) => finders.find(({ matches }) => matches.test(key))?.find ?? nothing,
    );
}

function inObject(properties: Readonly<Record<string, TSchema>>, where: string): Find {
  const finders = new Map(
    Object.entries(properties).map(([key, schema]) => [key, finder(schema, where) ?? nothing]),
  );
  return (value, search) => inMembers(value, search, (key) => finders.get(key));
}

const nothing: Find = () => NONE;

/** @param findOf the search within the member of a name; `undefined` where the name is not declared */
function inMembers(
  value: unknown,
  search: Search,
  findOf: (key: string) => Find | undefined,
): readonly UnknownMember[] {
  let found: UnknownMember[] | undefined;
  const object = value as Readonly<Record<string, unknown>>;
  if (hadPrototype(object) && search.left > 0) {
    const step = '["__proto__"]';
    found = [{ at: step, kind: step }];
    search.left--;
  }
  for (const key in object) {
    if (search.left <= 0) break;
    const find = findOf(key);
    if (!find) {
      const step = `["${key}"]`;
      (found ??= []).push({ at: step, kind: step });
      search.left--;
      continue;
    }
    for (const { at, kind } of find(object[key], search)) {
      (found ??= []).push({ at: `["${key}"]${at}`, kind: `["${key}"]${kind}` });
    }
  }
  return found ?? NONE;
}
