import type { EndpointDescriptor, Param, Wire } from '../../../schemas/endpoint.js';
import { badRequest, confusingArguments, missingArgument } from '../../errors/index.js';
import { checkLengths, checkPairs } from './parameter-budget.js';
import { describe, fault, tooMuchJson, type ValidationFault } from './validation-faults.js';
import { parseBounded, withFloats } from '../../services/text/json-text.js';
import { JsonField, type RawParameters } from './form.js';
import { RepeatedFields } from './repeated-form.js';
import type { PathValues } from '../router.js';
import { compileSchema, type Compiled } from './schema-check.js';
import { unknownMembersOf } from './unknown-members.js';

/** Parameters that every endpoint accepts without declaring them (requests.md#unsupported). */
const EXEMPT: ReadonlySet<string> = new Set(['client', 'method']);

/**
 * The typed parameters of a request, and what of it is not declared: names of parameters, and places of members of
 * objects within parameters.
 */
interface Decoded {
  readonly params: Readonly<Record<string, unknown>>;
  /** Sorted, unique; almost always empty. */
  readonly ignored: readonly string[];
}

/**
 * Decodes raw texts into the values that a descriptor declares.
 * @throws ApiError 400 for the first fault in declaration order (requests.md#parameters)
 */
export type Decoder = (texts: RawParameters, path: PathValues) => Decoded;

type Outcome = { readonly value: unknown } | { readonly fault: ValidationFault };

interface CompiledParam {
  readonly name: string;
  readonly param: Param;
  readonly inPath: boolean;
  readonly decode: (text: string) => Outcome;
  /** Decodes a value that came as JSON. */
  readonly decodeValue: (field: JsonField) => Outcome;
  readonly check: Compiled['check'];
  /** Whether JSON null, which is no value of it, leaves it out. */
  readonly nullIsAbsent: boolean;
  /** Whether it has no other values than texts. */
  readonly isText: boolean;
  /** The members of objects in a value that are not declared; `undefined` if it holds no objects. */
  readonly unknownMembers: ((value: unknown) => readonly string[]) | undefined;
}

const NONE: readonly string[] = [];

/** Descriptors are constants: each is compiled once, however often it is served. */
const DECODERS = new WeakMap<EndpointDescriptor, Decoder>();

/** The decoder of an endpoint. @throws as `compileDecoder` */
export function decoderOf(endpoint: EndpointDescriptor): Decoder {
  const known = DECODERS.get(endpoint);
  if (known) return known;
  const decoder = compileDecoder(endpoint);
  DECODERS.set(endpoint, decoder);
  return decoder;
}

/**
 * Compiles the parameters of an endpoint.
 * @throws Error for a schema that cannot be a parameter, or a path placeholder without a parameter
 */
export function compileDecoder(endpoint: EndpointDescriptor): Decoder {
  const placeholders = new Set(placeholdersOf(endpoint.path));
  const params = Object.entries(endpoint.params).map(([name, param]) =>
    compileParam(endpoint.operation, name, param, placeholders.has(name)),
  );
  for (const name of placeholders) {
    if (!(name in endpoint.params)) {
      throw new Error(`${endpoint.operation}: path placeholder ${name} is not a parameter`);
    }
  }
  const known = new Set(EXEMPT);
  for (const { name, param, inPath } of params) {
    if (inPath) continue;
    known.add(name);
    for (const alias of param.aliases) known.add(alias);
  }
  const relevant = relevantTo(params);
  const decode: Decoder = (texts, path) => {
    const values: Record<string, unknown> = {};
    checkLengths(params, texts);
    let members: string[] | undefined;
    for (const one of relevant(texts)) {
      const value = one.inPath ? pathValue(one, path[one.name]) : formValue(one, texts);
      if (value === undefined) continue;
      values[one.name] = value;
      if (!one.unknownMembers || value === null) continue;
      for (const at of one.unknownMembers(value)) (members ??= []).push(one.name + at);
    }
    if (endpoint.pairs) checkPairs(endpoint.pairs, values);
    return { params: values, ignored: unknownNames(texts, known, members) };
  };
  return placeholders.size === 0 ? rememberingLast(decode) : decode;
}

/** Decodes the fields of a repeated form once, where nothing of the result can be changed. */
function rememberingLast(decode: Decoder): Decoder {
  return (texts, path) => {
    if (!(texts instanceof RepeatedFields)) return decode(texts, path);
    if (texts.decoder === decode) return texts.decoded as Decoded;
    const decoded = decode(texts, path);
    if (Object.values(decoded.params).every(isScalar)) {
      Object.freeze(decoded.params);
      texts.decoder = decode;
      texts.decoded = decoded;
    }
    return decoded;
  };
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/**
 * Selects the parameters that a request may give a value, in declaration order: those it names, and those that have
 * a value or a refusal without being named. An update of settings declares 70 and names one or two.
 */
function relevantTo(
  params: readonly CompiledParam[],
): (texts: RawParameters) => readonly CompiledParam[] {
  const places = new Map<string, number>();
  const always: number[] = [];
  params.forEach(({ name, param, inPath }, place) => {
    if (inPath || param.presence === 'required' || param.fallback !== undefined) always.push(place);
    else for (const one of [name, ...param.aliases]) places.set(one, place);
  });
  return (texts) => {
    if (2 * (texts.size + always.length) >= params.length) return params;
    const chosen = [...always];
    for (const name of texts.keys()) {
      const place = places.get(name);
      if (place !== undefined && !chosen.includes(place)) chosen.push(place);
    }
    if (chosen.length > 1) chosen.sort((a, b) => a - b);
    return chosen.map((place) => params[place]!);
  };
}

/** Names of the path parameters that match numbers only. */
export function integerPlaceholders(endpoint: EndpointDescriptor): ReadonlySet<string> {
  const integers = placeholdersOf(endpoint.path).filter((name) => {
    const param = endpoint.params[name];
    if (!param) return false;
    const { types } = compileSchema(param.schema, `${endpoint.operation}: ${name}`);
    return types.has('number') && !types.has('string');
  });
  return new Set(integers);
}

function placeholdersOf(path: string): string[] {
  return [...path.matchAll(/\{([^}+]*)\+?\}/g)].map((found) => found[1]!);
}

function compileParam(
  operation: string,
  name: string,
  param: Param,
  inPath: boolean,
): CompiledParam {
  const where = `${operation}: ${name}`;
  if (EXEMPT.has(name)) throw new Error(`${where}: the name has a meaning of its own`);
  const compiled = compileSchema(param.schema, where);
  const decode = inPath ? decodeText(compiled) : decoderFor(param.wire, compiled, where);
  const decodeValue = valueDecoder(compiled, decode);
  const unknownMembers = inPath ? undefined : unknownMembersOf(param.schema, where);
  const { check, types } = compiled;
  const nullIsAbsent = param.presence !== 'required' && !types.has('null') && !types.has('any');
  const isText = param.wire !== 'json' && isOnlyText(compiled);
  return { name, param, inPath, decode, decodeValue, check, nullIsAbsent, isText, unknownMembers };
}

function decoderFor(wire: Wire, compiled: Compiled, where: string): (text: string) => Outcome {
  switch (wire) {
    case 'text':
      if (!compiled.types.has('string') && !compiled.types.has('any')) {
        throw new Error(`${where}: a text parameter needs a string schema`);
      }
      return decodeText(compiled);
    case 'json':
      return decodeJson(compiled);
    case 'lenient':
      return decodeLenient(compiled);
  }
}

/**
 * Checks a JSON value as it is. Where no string is acceptable, a string is decoded like the text of a form
 * field: some libraries send all values as strings.
 */
function valueDecoder(
  compiled: Compiled,
  decode: (text: string) => Outcome,
): (field: JsonField) => Outcome {
  const textual = compiled.types.has('string') || compiled.types.has('any');
  return ({ value, withFloats }) => {
    const asText = typeof value === 'string' && !textual ? decode(value) : undefined;
    return asText && 'value' in asText ? asText : checked(compiled, value, withFloats);
  };
}

/** @param floats the value with floats in the place of those that are integers to JavaScript alone */
function checked(compiled: Compiled, value: unknown, floats = value): Outcome {
  const found = compiled.check(floats);
  return found ? { fault: found } : { value };
}

function decodeText(compiled: Compiled): (text: string) => Outcome {
  const nullable = compiled.types.has('null');
  return (text) => (nullable && text === 'null' ? { value: null } : checked(compiled, text));
}

function decodeJson(compiled: Compiled): (text: string) => Outcome {
  return (text) => {
    const parsed = parseBounded(text);
    if (parsed?.excess) return { fault: tooMuchJson(parsed.excess) };
    if (!parsed) return { fault: fault('is not valid JSON') };
    return checked(compiled, parsed.value, withFloats(text, parsed.value));
  };
}

/**
 * Decodes JSON where the text is JSON, else the raw text. Where only a text is acceptable, JSON other than
 * a string (a channel called `2024`) is that text.
 */
function decodeLenient(compiled: Compiled): (text: string) => Outcome {
  const { types } = compiled;
  const textual = types.has('string') || types.has('any');
  const onlyText = isOnlyText(compiled);
  return (text) => {
    const parsed = parseBounded(text);
    if (parsed?.excess) return { fault: tooMuchJson(parsed.excess) };
    if (!parsed) {
      return textual ? checked(compiled, text) : { fault: fault('is not valid JSON') };
    }
    const { value } = parsed;
    const unwrapped = typeof value === 'string' || (value === null && types.has('null'));
    if (onlyText && !unwrapped) return checked(compiled, text);
    return checked(compiled, value, withFloats(text, value));
  };
}

function isOnlyText({ types }: Compiled): boolean {
  return types.has('string') && [...types].every((one) => ['string', 'null'].includes(one));
}

function pathValue(one: CompiledParam, raw: string | number | undefined): unknown {
  if (typeof raw === 'string') return outcomeValue(one.name, one.decode(raw));
  const found = one.check(raw);
  if (found) throw badRequest(describe(one.name, found));
  return raw;
}

function formValue(one: CompiledParam, texts: RawParameters): unknown {
  const raw = rawOf(one, texts);
  if (raw === undefined || (one.param.nullMeansAbsent && saysAbsent(raw))) {
    if (one.param.presence === 'required') throw missingArgument(one.name);
    return one.param.fallback;
  }
  if (one.nullIsAbsent && isJsonNull(one, raw)) return one.param.fallback;
  const outcome = raw instanceof JsonField ? one.decodeValue(raw) : one.decode(raw);
  return outcomeValue(one.name, outcome);
}

/** The raw value sent under the name or one of its aliases. @throws ApiError when two of them were sent */
function rawOf(
  { name, param }: CompiledParam,
  texts: RawParameters,
): string | JsonField | undefined {
  let raw = texts.get(name);
  let sent = name;
  for (const alias of param.aliases) {
    const other = texts.get(alias);
    if (other === undefined) continue;
    if (raw !== undefined) throw confusingArguments(sent, alias);
    raw = other;
    sent = alias;
  }
  return raw;
}

/** Whether the value is JSON null. The text `null` of a parameter that is a text is that text. */
function isJsonNull(one: CompiledParam, raw: string | JsonField): boolean {
  if (raw instanceof JsonField) return raw.value === null;
  return raw === 'null' && !one.isText;
}

function saysAbsent(raw: string | JsonField): boolean {
  if (raw instanceof JsonField) return raw.value === null;
  return raw === 'null' || raw === 'undefined';
}

function outcomeValue(name: string, outcome: Outcome): unknown {
  if ('fault' in outcome) throw badRequest(describe(name, outcome.fault));
  return outcome.value;
}

/** @param members places of undeclared members, which the list takes up */
function unknownNames(
  texts: RawParameters,
  known: ReadonlySet<string>,
  members: string[] | undefined,
): readonly string[] {
  let unknown = members;
  for (const name of texts.keys()) {
    if (!known.has(name)) (unknown ??= []).push(name);
  }
  return unknown ? unknown.sort() : NONE;
}
