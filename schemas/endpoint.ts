import Type, { type Static, type TSchema } from 'typebox';
import { MAX_LIST_ITEMS } from './limits.js';

/**
 * How the text of a parameter becomes a value (requests.md#reading).
 *
 * - `text`: taken raw, never JSON-decoded.
 * - `json`: JSON text (`true`, `17`, `[1,2]`, `{"a":1}`).
 * - `lenient`: JSON where the text is JSON, else the raw text; for parameters that clients send both ways:
 *   every enumeration of texts (`inherit` with or without quotes), a channel name or id.
 */
export type Wire = 'text' | 'json' | 'lenient';

/** Effect of an absent parameter: an error, `undefined`, or its default. */
export type Presence = 'required' | 'optional' | 'default';

/** One parameter of an endpoint. */
export interface Param<T extends TSchema = TSchema, P extends Presence = Presence> {
  readonly schema: T;
  readonly wire: Wire;
  readonly presence: P;
  readonly fallback?: Static<T>;
  /** Older names of the same parameter, e.g. `subject` for `topic`. Sending both is `REQUEST_CONFUSING_VAR`. */
  readonly aliases: readonly string[];
  /** The text `null` (and zulip-js' `undefined`) means "not given" (clients.md#value-encodings). */
  readonly nullMeansAbsent: boolean;
  readonly description?: string;
  /** A value it may have, where neither schema nor name give one. */
  readonly example?: unknown;
}

/** Options shared by the three ways to declare a parameter. */
export interface ParamOptions {
  wire?: Wire;
  aliases?: readonly string[];
  nullMeansAbsent?: boolean;
  description?: string;
  example?: unknown;
}

/** The parameters of an endpoint, by name. */
export type Params = Readonly<Record<string, Param>>;

type Key<P extends Params, Q extends Presence> = {
  [K in keyof P]: P[K] extends Param<TSchema, Q> ? K : never;
}[keyof P];

/** The decoded value of a parameter list, as handlers see it. */
export type ParamValues<P extends Params> = {
  [K in Key<P, 'required' | 'default'>]: Static<P[K]['schema']>;
} & { [K in Key<P, 'optional'>]?: Static<P[K]['schema']> };

/** The HTTP methods of the API. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/**
 * Who may call (conventions.md#callers, errors.md#permission-messages).
 *
 * - `anonymous`: no credentials; an Authorization header is ignored.
 * - `user`: any active user or bot.
 * - `human`: no bots (`This endpoint does not accept bot requests.`).
 * - `member`: no guests (`Not allowed for guest users`).
 * - `administrator`, `owner`: by role (`UNAUTHORIZED_PRINCIPAL`).
 * - `human-administrator`, `human-owner`: by role, and no bots of any role: what a key in a program must not do.
 * - `human-member`: neither guests nor bots.
 */
export type Access =
  | 'anonymous'
  | 'user'
  | 'human'
  | 'member'
  | 'human-member'
  | 'administrator'
  | 'owner'
  | 'human-administrator'
  | 'human-owner';

/**
 * A right that every call of an endpoint needs beside its {@link Access}, whatever its parameters: a permission of the
 * organization, or one that the operator gives (`can_create_users`).
 */
export type NeededRight =
  | 'can_add_custom_emoji_group'
  | 'can_create_bots_group'
  | 'can_create_groups'
  | 'can_create_private_channel_group'
  | 'can_create_public_channel_group'
  | 'can_create_users'
  | 'can_create_write_only_bots_group'
  | 'can_invite_users_group'
  | 'create_multiuse_invite_group';

/**
 * Bound of the product of two lists, whose entries a request combines in pairs. A parameter that is absent, or
 * not a list, counts as one entry.
 */
export interface PairBound {
  readonly of: readonly [string, string];
  readonly max: number;
}

/** The contract of one endpoint, from which routing, decoding and documentation follow. */
export interface EndpointDescriptor<P extends Params = Params, R extends TSchema = TSchema> {
  /** Operation name, unique, kebab-case. */
  readonly operation: string;
  readonly method: Method;
  /** Path below `/api/v1`, with `{name}` for path parameters; `{name+}` takes the rest of the path. */
  readonly path: string;
  readonly access: Access;
  /**
   * One, or several of which the caller needs one. Absent: any caller whom `access` admits. Which right the parameters
   * need is the handler's.
   */
  readonly right?: NeededRight | readonly NeededRight[];
  readonly summary: string;
  readonly params: P;
  /** Bounds of products of lists; each list has a bound of its own in its schema. */
  readonly pairs?: readonly PairBound[];
  /** The success body without `result` and `msg`. */
  readonly response: R;
  /** Error codes beside the ones every endpoint shares. */
  readonly errors: readonly string[];
  /**
   * Statuses of refusals beside those of the codes: 404 for a thing of the caller's own that does not exist; about
   * files also 403 for one the caller may not have, and 416 for a part behind the end (errors.md#status-codes).
   */
  readonly refusals?: readonly (403 | 404 | 416)[];
  /** Further text of the documentation. */
  readonly note?: string;
  /**
   * Parameters that the documentation fills in, of a request that succeeds; others are left out (`example-values.ts`).
   */
  readonly example?: Readonly<Record<string, unknown>>;
  /** Shares path and method with another endpoint, whose documentation mentions it. */
  readonly unpublished?: boolean;
  /** Event types that a successful call can cause. */
  readonly events: readonly string[];
  /** Set where the body is multipart with a file, which is required or optional. */
  readonly file?: 'required' | 'optional';
  /** Its path begins at the root, not below `/api/v1`. */
  readonly atRoot?: boolean;
  /** The caller may be named by `api_key` in the query, instead of by HTTP Basic authentication. */
  readonly keyInQuery?: boolean;
  /**
   * The handler gets the body as it came, as its only file, with these headers (lower case): what other services send
   * has forms of its own. Parameters are in the query only, and undeclared ones are not reported.
   */
  readonly rawBody?: { readonly maxBytes: number; readonly headers: readonly string[] };
  /** Those may call it, too, who have yet to set up the second factor that the organization demands. */
  readonly beforeTwoFactor?: true;
  /** The session of a browser does not do: what the reply gives is for programs with a key. */
  readonly keyOnly?: true;
  /** The audit log tells of its calls, though its method only reads: a node that follows sends them to the leader. */
  readonly writes?: true;
  /** Set where a call is a login: the parameter that names the account. */
  readonly loginName?: string;
  /** Clients send the same form again and again, and nothing in it is secret: it is kept decoded. */
  readonly isRepeated?: true;
  /** Feature level at which the endpoint, or its last change, took effect. */
  readonly level?: number;
}

/** Values of an enumeration are told from their JSON text, so clients may send either (requests.md#reading). */
function wireOf(schema: TSchema): Wire {
  if (isEnumeration(schema)) return 'lenient';
  return textual(schema) ? 'text' : 'json';
}

/** Whether texts of a schema are among listed ones, checked by the decoder or by the handler. */
function isEnumeration(schema: TSchema): boolean {
  const s = schema as { const?: unknown; anyOf?: TSchema[]; told?: { enum?: unknown } };
  if (s.anyOf) return s.anyOf.some(isEnumeration);
  return typeof s.const === 'string' || s.told?.enum !== undefined;
}

function textual(schema: TSchema): boolean {
  const s = schema as { type?: string; const?: unknown; anyOf?: TSchema[] };
  if (s.anyOf)
    return s.anyOf.every((one) => textual(one) || (one as { type?: string }).type === 'null');
  return s.type === 'string' || typeof s.const === 'string';
}

function param<T extends TSchema, P extends Presence>(
  schema: T,
  presence: P,
  options: ParamOptions,
  fallback?: Static<T>,
): Param<T, P> {
  return {
    schema,
    presence,
    wire: options.wire ?? wireOf(schema),
    aliases: options.aliases ?? [],
    nullMeansAbsent: options.nullMeansAbsent ?? false,
    fallback,
    description: options.description,
    example: options.example,
  };
}

/** A parameter that must be given (`REQUEST_VARIABLE_MISSING` otherwise). */
export function required<T extends TSchema>(
  schema: T,
  options: ParamOptions = {},
): Param<T, 'required'> {
  return param(schema, 'required', options);
}

/** An optional parameter; handlers see `undefined` when it is absent. */
export function optional<T extends TSchema>(
  schema: T,
  options: ParamOptions = {},
): Param<T, 'optional'> {
  return param(schema, 'optional', options);
}

/** A parameter with a default value. */
export function withDefault<T extends TSchema>(
  schema: T,
  fallback: Static<T>,
  options: ParamOptions = {},
): Param<T, 'default'> {
  return param(schema, 'default', options, fallback);
}

/** Declares an endpoint; a typed identity function, so that a descriptor stays plain data. */
export function endpoint<P extends Params, R extends TSchema>(
  descriptor: EndpointDescriptor<P, R>,
): EndpointDescriptor<P, R> {
  return descriptor;
}

/** Whether a value is a descriptor. */
export function isEndpoint(value: unknown): value is EndpointDescriptor {
  return typeof value === 'object' && value !== null && 'operation' in value && 'params' in value;
}

/** The decoded parameters of a descriptor. */
export type ParamsOf<D extends EndpointDescriptor> = ParamValues<D['params']>;

/** A deeply read-only JSON value. */
export type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** An object with writable fields. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** The reply of a descriptor's handler: the success body without `result` and `msg`. */
export type ReplyOf<D extends EndpointDescriptor> = ReplyBody<Static<D['response']>>;

/** Exactly the fields that the schema names; any fields for a descriptor of unknown type. */
type ReplyBody<T> = unknown extends T
  ? Readonly<Record<string, unknown>>
  : [keyof T] extends [never]
    ? Readonly<Record<string, never>>
    : Frozen<T>;

/** One of a few literals; a value outside is `Invalid {name}`. */
export function oneOf<const T extends readonly (string | number)[]>(...values: T) {
  return Type.Unsafe<T[number]>(Type.Union(values.map((value) => Type.Literal(value))));
}

/** Union with null. */
export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** An id of a user, channel, message or group: a non-negative integer that JavaScript holds exactly. */
export const Id = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** A list of ids, bounded so that one request cannot ask for unbounded work. */
export const IdList = Type.Array(Id, { maxItems: MAX_LIST_ITEMS });

/** A success reply without data. */
export const Empty = Type.Object({});
