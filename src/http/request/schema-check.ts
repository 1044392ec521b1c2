import type { TSchema } from 'typebox';
import {
  fault,
  inside,
  invalid,
  missingKey,
  unexpectedKey,
  type ValidationFault,
} from './validation-faults.js';
import { INTEGRAL_FLOAT } from '../../services/text/json-text.js';
import { textCheck, uncleanText, type TextSchema } from './text-check.js';

/** Returns the first fault of a value, if any. */
type Check = (value: unknown) => ValidationFault | undefined;

type JsonType = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** One alternative of a schema: a JSON type and the check of values of that type. */
interface Alternative {
  readonly type: JsonType | 'any';
  /** Name of the type in `is not a …`. */
  readonly name: string;
  readonly check: Check;
  /** The only value allowed, if there is one. */
  readonly literal?: unknown;
}

/** A compiled schema. */
export interface Compiled {
  readonly check: Check;
  /** The accepted JSON types. */
  readonly types: ReadonlySet<JsonType | 'any'>;
}

/** The supported JSON-schema keywords; any other stops the start. */
interface Keywords extends TextSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema | readonly TSchema[];
  readonly additionalItems?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | TSchema;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
}

const ANNOTATIONS = [
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$id',
  '$comment',
  // What the handler checks, for the documentation.
  'told',
];

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  null: ['type'],
  boolean: ['type', 'const'],
  integer: ['type', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  number: ['type', 'const', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  string: [
    'type',
    'const',
    'minLength',
    'maxLength',
    'pattern',
    'format',
    'maxEntries',
    'nulAllowed',
  ],
  array: ['type', 'items', 'additionalItems', 'minItems', 'maxItems'],
  object: ['type', 'properties', 'required', 'additionalProperties', 'patternProperties'],
  union: ['anyOf'],
  enumeration: ['enum'],
  any: [],
};

/**
 * Compiles a parameter's schema into a check with the messages of requests.md#invalid. The first fault in
 * declaration order is reported.
 *
 * @param where names the schema in errors at start
 * @throws Error for an unsupported schema or keyword
 */
export function compileSchema(schema: TSchema, where: string): Compiled {
  const alternatives = alternativesOf(schema, where);
  const types = new Set(alternatives.map((one) => one.type));
  const only = alternatives.length === 1 ? alternatives[0]! : undefined;
  return { check: only?.type === 'any' ? only.check : unionCheck(alternatives), types };
}

function alternativesOf(schema: TSchema, where: string): Alternative[] {
  const s = schema as Keywords;
  const kind = kindOf(s);
  if (!kind) throw new Error(`${where}: this kind of schema is not supported as a parameter`);
  for (const keyword of Object.keys(s)) {
    if (!KEYWORDS[kind]!.includes(keyword) && !ANNOTATIONS.includes(keyword)) {
      throw new Error(`${where}: keyword ${keyword} is not supported in a parameter (${kind})`);
    }
  }
  if (s.anyOf) return s.anyOf.flatMap((one) => alternativesOf(one, where));
  if (s.enum) return s.enum.map((value) => literal(value));
  if ('const' in s) return [literal(s.const)];
  switch (kind) {
    case 'any':
      return [{ type: 'any', name: 'value', check: uncleanOrFloat }];
    case 'null':
      return [{ type: 'null', name: 'null', check: () => undefined }];
    case 'boolean':
      return [{ type: 'boolean', name: 'boolean', check: () => undefined }];
    case 'integer':
      return [{ type: 'number', name: 'integer', check: numberCheck(s, true) }];
    case 'number':
      return [{ type: 'number', name: 'float', check: numberCheck(s, false) }];
    case 'string':
      return [{ type: 'string', name: 'string', check: textCheck(s, where) as Check }];
    case 'array':
      return [arrayAlternative(s, where)];
    default:
      return [{ type: 'object', name: 'dict', check: objectCheck(s, where) }];
  }
}

function kindOf(s: Keywords): string | undefined {
  if (s.anyOf) return 'union';
  if (s.enum) return 'enumeration';
  if (s.type !== undefined) return s.type in KEYWORDS ? s.type : undefined;
  const meaning = Object.keys(s).filter((keyword) => !ANNOTATIONS.includes(keyword));
  return meaning.length === 0 ? 'any' : undefined;
}

function literal(value: unknown): Alternative {
  const type = jsonType(value);
  const name = { number: 'integer', array: 'list', object: 'dict' }[type as string] ?? type;
  return { type, name, literal: value, check: (v) => (v === value ? undefined : invalid()) };
}

function jsonType(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as JsonType;
}

function unionCheck(alternatives: readonly Alternative[]): Check {
  const byType = new Map<string, readonly Alternative[]>();
  for (const one of alternatives) byType.set(one.type, [...(byType.get(one.type) ?? []), one]);
  const any = byType.get('any') ?? [];
  const wrongType = typeFault(alternatives);
  return (value) => {
    const candidates = byType.get(jsonType(value)) ?? any;
    let first: ValidationFault | undefined;
    for (const one of candidates) {
      const found = one.check(value);
      if (!found) return undefined;
      first ??= found;
    }
    return first ?? wrongType;
  };
}

/** The fault of a value whose JSON type no alternative has. */
function typeFault(alternatives: readonly Alternative[]): ValidationFault {
  const names = new Set(alternatives.map((one) => one.name));
  names.delete('null');
  const [first, second] = [...names];
  if (first === undefined || names.size > 2) {
    return names.has('string') && names.has('integer list')
      ? fault('is not a string or an integer list')
      : invalid();
  }
  if (second === undefined) return fault(`is not ${article(listName(first))}`);
  if (names.has('string') && second.endsWith('list')) {
    return fault('is not a string or an integer list');
  }
  return fault(`is not ${article(first)} or ${second}`);
}

/** A list alone is called a list; its elements are reported one by one. */
function listName(name: string): string {
  return name.endsWith('list') ? 'list' : name;
}

function article(name: string): string {
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`;
}

function numberCheck(s: Keywords, integer: boolean): Check {
  // Beyond 2^53 JSON numbers lose digits; a schema that clamps larger ones names a maximum.
  const max = s.maximum ?? (integer ? Number.MAX_SAFE_INTEGER : Infinity);
  const min = s.minimum ?? (integer ? Number.MIN_SAFE_INTEGER : -Infinity);
  const { exclusiveMaximum: below = Infinity, exclusiveMinimum: above = -Infinity } = s;
  return (value) => {
    const number = value as number;
    if (integer && Number.isFinite(number) && !Number.isInteger(number)) {
      return fault('is not an integer');
    }
    if (number > max || (number >= below && below !== Infinity)) return fault('is too large');
    if (number < min || (number <= above && above !== -Infinity)) return fault('is too small');
    return Number.isFinite(number) ? undefined : fault('is too large');
  };
}

function arrayAlternative(s: Keywords, where: string): Alternative {
  const size = sizeCheck(s);
  if (Array.isArray(s.items)) {
    const members = (s.items as TSchema[]).map((one, i) => compileSchema(one, `${where}[${i}]`));
    const check: Check = (value) => {
      const list = value as readonly unknown[];
      if (list.length !== members.length) {
        return fault(`should have exactly ${members.length} items`);
      }
      return firstElementFault(list, (i) => members[i]!.check);
    };
    return { type: 'array', name: 'list', check };
  }
  const item = compileSchema(s.items ?? {}, `${where}[]`).check;
  const integers = (s.items as Keywords | undefined)?.type === 'integer';
  return {
    type: 'array',
    name: integers ? 'integer list' : 'list',
    check: (value) => size(value as unknown[]) ?? firstElementFault(value as unknown[], () => item),
  };
}

function sizeCheck({ minItems = 0, maxItems = Infinity }: Keywords) {
  return (list: readonly unknown[]): ValidationFault | undefined => {
    if (list.length >= minItems && list.length <= maxItems) return undefined;
    if (minItems === maxItems) return fault(`should have exactly ${minItems} items`);
    if (list.length > maxItems) return fault(`is too long (limit: ${maxItems} items)`);
    return fault(minItems === 1 ? 'cannot be empty' : 'is too short.');
  };
}

function firstElementFault(
  list: readonly unknown[],
  checkOf: (index: number) => Check,
): ValidationFault | undefined {
  for (let i = 0; i < list.length; i++) {
    const found = checkOf(i)(list[i]);
    if (found) return inside(`[${i}]`, found);
  }
  return undefined;
}

function objectCheck(s: Keywords, where: string): Check {
  const declared = Object.entries(s.properties ?? {}).map(([key, schema]) => ({
    key,
    required: s.required?.includes(key) ?? false,
    check: compileSchema(schema, `${where}["${key}"]`).check,
  }));
  const names = new Set(declared.map((one) => one.key));
  const otherKey = otherKeyCheck(s, where);
  return (value) => {
    const object = value as Record<string, unknown>;
    dropPrototype(object);
    for (const { key, required, check } of declared) {
      if (Object.hasOwn(object, key)) {
        const found = check(object[key]);
        if (found) return inside(`["${key}"]`, found);
      } else if (required) {
        return missingKey(key);
      }
    }
    for (const key of Object.keys(object)) {
      const found = names.has(key) ? undefined : otherKey(key, object[key]);
      if (found) return found;
    }
    return undefined;
  };
}

/** The check of members that are not declared by name. */
function otherKeyCheck(
  s: Keywords,
  where: string,
): (key: string, v: unknown) => ValidationFault | undefined {
  const patterns = Object.entries(s.patternProperties ?? {}).map(([pattern, schema]) => ({
    matches: new RegExp(pattern, 'u'),
    check: compileSchema(schema, `${where}[key]`).check,
  }));
  const rest = s.additionalProperties;
  const closed = rest === false || (rest === undefined && patterns.length > 0);
  const check = typeof rest === 'object' ? compileSchema(rest, `${where}[key]`).check : deepUnclean;
  return (key, value) => {
    const pattern = patterns.find((one) => one.matches.test(key));
    if (!pattern && closed) return unexpectedKey(key);
    const found = uncleanText(key) ?? (pattern?.check ?? check)(value);
    return found && inside(`["${key}"]`, found);
  };
}

/** Objects of which a member `__proto__` was dropped: it is told like any other that nobody declared. */
const WITH_PROTOTYPE = new WeakSet<object>();

/** Drops a member `__proto__`, which would set the prototype of an object that it is assigned to. */
function dropPrototype(object: Record<string, unknown>): void {
  if (!Object.hasOwn(object, '__proto__')) return;
  delete object['__proto__'];
  WITH_PROTOTYPE.add(object);
}

/** Whether the check has dropped a member `__proto__` of an object. */
export function hadPrototype(object: object): boolean {
  return WITH_PROTOTYPE.has(object);
}

/** Checks JSON of any form: valid texts, no `__proto__`. The parser bounds the depth. */
function deepUnclean(value: unknown): ValidationFault | undefined {
  return faultWithin(value, () => undefined);
}

/** Likewise, for values that a handler reads: its numbers are ids and other integers. */
function uncleanOrFloat(value: unknown): ValidationFault | undefined {
  return faultWithin(value, (one) =>
    one === INTEGRAL_FLOAT ? fault('is not an integer') : undefined,
  );
}

/** @param other the fault of what is no text, list or object */
function faultWithin(value: unknown, other: Check): ValidationFault | undefined {
  if (typeof value === 'string') return uncleanText(value);
  if (Array.isArray(value)) return firstElementFault(value, () => (one) => faultWithin(one, other));
  if (value === null || typeof value !== 'object') return other(value);
  const object = value as Record<string, unknown>;
  dropPrototype(object);
  for (const key of Object.keys(object)) {
    const found = uncleanText(key) ?? faultWithin(object[key], other);
    if (found) return inside(`["${key}"]`, found);
  }
  return undefined;
}
