import type { EndpointDescriptor, Param } from '../endpoint.js';
import { changesOf } from './changes.js';
import { codeSamples, type SampleRequest } from './code-samples.js';
import { COMMON_CODES, ERROR_CODES, exampleError } from './error-codes.js';
import { inWords } from './field-text.js';
import { parameterExample, parameterText } from './parameter-text.js';
import { levelOfField, levelOfOperation } from './levels.js';
import { ALWAYS } from './register-fields.js';
import { registerProperties } from './register-reply.js';
import { exampleOf, published, type Json } from './json-schema.js';

/** The envelope of every success reply (specification-endpoints.md#common-conventions 2). */
export const SUCCESS = {
  type: 'object',
  properties: {
    result: { const: 'success', description: 'Says that the request succeeded.' },
    msg: { const: '', description: 'Empty; in an error its text.' },
    ignored_parameters_unsupported: {
      type: 'array',
      items: { type: 'string' },
      description:
        'Parameters of the request that the endpoint does not know; left out if there are none. Since level 167.',
      examples: [['invalid_param']],
    },
  },
  required: ['result', 'msg'],
} as const;

const FILE_TEXT = 'The file, under any name; a request has exactly one.';

/** Who may call, in words. */
const WHO: Readonly<Record<EndpointDescriptor['access'], string>> = {
  anonymous: 'Needs no credentials.',
  user: 'For users and bots.',
  human: 'For people; bots are refused.',
  member: 'For members and bots; guests are refused.',
  'human-member': 'For members; guests and bots are refused.',
  administrator: 'For administrators of the organization.',
  owner: 'For owners of the organization.',
  'human-administrator': 'For administrators of the organization; bots are refused.',
  'human-owner': 'For owners of the organization; bots are refused.',
};

/** The path as OpenAPI writes it. */
export function publishedPath({ path, atRoot }: EndpointDescriptor): string {
  const root = atRoot ?? path.startsWith('/avatar/');
  return `${root ? '' : '/api/v1'}${path.replace(/\{(\w+)\+\}/g, '{$1}')}`;
}

/**
 * The operation object of an endpoint.
 *
 * @param server base URL in its samples
 */
export function operationObject(endpoint: EndpointDescriptor, tag: string, server: string): Json {
  const { params, method, path } = endpoint;
  const inPath = new Set([...path.matchAll(/\{(\w+)\+?\}/g)].map((match) => match[1]!));
  const inBody = method !== 'GET' && method !== 'DELETE' && !endpoint.rawBody;
  const entries = Object.entries(params);
  const ofPath = entries.filter(([name]) => inPath.has(name));
  const others = entries.filter(([name]) => !inPath.has(name));
  const parameters = [
    ...ofPath.map(([name, param]) => parameter(endpoint, name, param, 'path')),
    ...(inBody ? [] : others.map(([name, param]) => parameter(endpoint, name, param, 'query'))),
  ];
  return {
    operationId: endpoint.operation,
    tags: [tag],
    summary: endpoint.summary,
    description: description(endpoint),
    ...(endpoint.access === 'anonymous' ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(inBody && (others.length > 0 || endpoint.file)
      ? { requestBody: body(endpoint, others) }
      : {}),
    ...(endpoint.rawBody ? { requestBody: FOREIGN_BODY } : {}),
    responses: responses(endpoint),
    ...levelMark(newestLevel(endpoint)),
    ...(endpoint.events.length > 0 ? { 'x-events': endpoint.events } : {}),
    'x-codeSamples': codeSamples(sampleOf(endpoint, server)),
  };
}

/** What a service might send. */
const EXAMPLE_BODY = { play: 'Hamlet', act: 5 };

/** A body whose form another service decides. */
const FOREIGN_BODY = {
  required: true,
  content: { 'application/json': { schema: {}, example: EXAMPLE_BODY } },
};

/** The request that the operation's example makes. */
function sampleOf(endpoint: EndpointDescriptor, server: string): SampleRequest {
  const { method, params, access, file } = endpoint;
  const exampleIn = (name: string) => {
    const { examples } = schemaOf(endpoint, name, params[name]!) as { examples: [unknown] };
    return examples[0];
  };
  const path = publishedPath(endpoint).replace(/\{(\w+)\}/g, (_, name: string) =>
    String(exampleIn(name)).split('/').map(encodeURIComponent).join('/'),
  );
  const inPath = new Set([...endpoint.path.matchAll(/\{(\w+)/g)].map((match) => match[1]!));
  const shown = Object.entries(params).filter(
    ([name, param]) => !inPath.has(name) && isShown(endpoint, name, param),
  );
  return {
    method,
    server,
    path,
    fields: shown.map(([name, { wire }]) => ({
      name,
      value: exampleIn(name),
      asJson: wire === 'json',
    })),
    ...(file === undefined
      ? {}
      : { file: path.endsWith('/user_uploads') ? 'ghost.txt' : 'skull.png' }),
    needsLogin: access !== 'anonymous',
    ...(endpoint.rawBody ? { body: EXAMPLE_BODY } : {}),
  };
}

/** Feature level of the newest change of an operation. */
function newestLevel({ operation, level = 0 }: EndpointDescriptor): number | undefined {
  return Math.max(level, levelOfOperation(operation) ?? 0) || undefined;
}

/** The level with which something came, where it is known. */
function levelMark(level: number | undefined): Json {
  return level === undefined ? {} : { 'x-feature-level': level };
}

function description(endpoint: EndpointDescriptor): string {
  const rights = [endpoint.right ?? []].flat().map((one) => `\`${one}\``);
  const needed = rights.length === 0 ? '' : ` They need ${rights.join(' or ')}.`;
  const lines = [WHO[endpoint.access] + needed];
  if (endpoint.events.length > 0) lines.push(`Can cause the events ${endpoint.events.join(', ')}.`);
  for (const { of, max } of endpoint.pairs ?? []) {
    lines.push(`At most ${max} combinations of an entry of \`${of.join('` and one of `')}\`.`);
  }
  if (endpoint.note !== undefined) lines.push(endpoint.note);
  for (const { levels, text } of changesOf(endpoint.operation)) {
    lines.push(`**Feature level ${levels}**: ${text}`);
  }
  return lines.join('\n\n');
}

function parameter(
  endpoint: EndpointDescriptor,
  name: string,
  param: Param,
  place: 'path' | 'query',
): Json {
  const { examples, ...schema } = schemaOf(endpoint, name, param);
  // Pages fill `example` in: what may be left out and the operation's example does not need shows its own in the
  // schema.
  const shown = isShown(endpoint, name, param);
  const [example] = examples as [unknown];
  const filled = shown ? { example } : {};
  const own = shown ? schema : { ...schema, examples };
  const base = {
    name,
    in: place,
    required: place === 'path' || param.presence === 'required',
    description: describe(endpoint, name, param),
    ...levelMark(levelOfField(endpoint.operation, name)),
  };
  // Structured values are JSON text in one field (specification-endpoints.md#common-conventions 1).
  return param.wire === 'json' && !isScalar(schema)
    ? { ...base, content: { 'application/json': { schema: own, ...filled } } }
    : { ...base, schema: own, ...filled };
}

function isShown({ example }: EndpointDescriptor, name: string, param: Param): boolean {
  return param.presence === 'required' || example?.[name] !== undefined;
}

function body(endpoint: EndpointDescriptor, params: readonly (readonly [string, Param])[]): Json {
  const required = params.filter(([, one]) => one.presence === 'required').map(([name]) => name);
  const properties: Record<string, Json> = Object.fromEntries(
    params.map(([name, param]) => [
      name,
      {
        ...schemaOf(endpoint, name, param),
        description: describe(endpoint, name, param),
        ...levelMark(levelOfField(endpoint.operation, name)),
      },
    ]),
  );
  const file = endpoint.file
    ? {
        file: { type: 'string', format: 'binary', description: FILE_TEXT, examples: ['ghost.txt'] },
      }
    : {};
  const structured = params.filter(
    ([name, param]) => param.wire === 'json' && !isScalar(properties[name]!),
  );
  const content = {
    schema: {
      type: 'object',
      properties: { ...properties, ...file },
      ...(required.length > 0 ? { required } : {}),
    },
    ...(endpoint.file ? {} : { example: bodyExample(endpoint, params, properties) }),
    ...(structured.length > 0
      ? {
          encoding: Object.fromEntries(
            structured.map(([name]) => [name, { contentType: 'application/json' }]),
          ),
        }
      : {}),
  };
  // A JSON object of the same parameters does as well, but for files.
  const { encoding: _encoding, ...asJson } = content;
  return {
    required: required.length > 0 || endpoint.file === 'required',
    content: endpoint.file
      ? { 'multipart/form-data': content }
      : { 'application/x-www-form-urlencoded': content, 'application/json': asJson },
  };
}

function bodyExample(
  endpoint: EndpointDescriptor,
  params: readonly (readonly [string, Param])[],
  properties: Readonly<Record<string, Json>>,
): Json {
  const shown = params.filter(([name, param]) => isShown(endpoint, name, param));
  return Object.fromEntries(
    shown.map(([name]) => [name, (properties[name]!.examples as [unknown])[0]]),
  );
}

/** Each is needed several times, and takes a millisecond where it is large. */
const SCHEMAS = new WeakMap<EndpointDescriptor, Map<string, Json>>();

/** The schema of a parameter, with its default and an example. */
function schemaOf(endpoint: EndpointDescriptor, name: string, param: Param): Json {
  const known = SCHEMAS.get(endpoint) ?? new Map<string, Json>();
  SCHEMAS.set(endpoint, known);
  let schema = known.get(name);
  if (!schema) known.set(name, (schema = makeSchema(endpoint, name, param)));
  return schema;
}

function makeSchema(endpoint: EndpointDescriptor, name: string, param: Param): Json {
  const { fallback } = param;
  const schema = inWords(published(param.schema), [endpoint.operation, name]);
  const whole = fallback === undefined ? schema : { ...schema, default: fallback };
  return { ...whole, examples: [parameterExample(endpoint, name, param, whole)] };
}

function isScalar(schema: Json): boolean {
  const { type, anyOf } = schema as { type?: string; anyOf?: Json[] };
  if (anyOf) return anyOf.every(isScalar);
  return type !== 'object' && type !== 'array' && type !== undefined;
}

function describe(endpoint: EndpointDescriptor, name: string, param: Param): string {
  const notes = [parameterText(endpoint.operation, name, param) ?? ''];
  if (param.wire === 'json' && !isScalar(schemaOf(endpoint, name, param))) notes.push('JSON text.');
  if (param.aliases.length > 0) notes.push(`Older name: \`${param.aliases.join('`, `')}\`.`);
  return notes.join(' ').replace(/([^.])$/, '$1.');
}

function responses(endpoint: EndpointDescriptor): Json {
  const byStatus = new Map<number, string[]>();
  const own = endpoint.access === 'anonymous' ? [] : ['UNAUTHORIZED', 'CSRF_FAILED'];
  const isAfter = own.length > 0 && endpoint.beforeTwoFactor !== true;
  if (isAfter) own.push('TWO_FACTOR_SETUP_REQUIRED');
  for (const code of [...endpoint.errors, ...own]) {
    const status = ERROR_CODES[code]?.status ?? 400;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const refused = byStatus.get(400) ?? [];
  byStatus.set(400, [...new Set([...refused, ...COMMON_CODES.slice(0, 5)])]);
  // A page of another origin that uses somebody's credentials (errors.md#codes).
  if (own.length > 0) byStatus.set(403, own.slice(1));
  // A body that is neither a form nor JSON.
  byStatus.set(415, ['BAD_REQUEST']);
  for (const status of endpoint.refusals ?? []) {
    byStatus.set(status, ['BAD_REQUEST', ...(byStatus.get(status) ?? [])]);
  }
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return {
    '200': success(endpoint),
    ...Object.fromEntries(
      statuses
        .filter(([status]) => status !== 429 && status !== 503)
        .map(([status, codes]) => [String(status), refusal(codes)]),
    ),
    '429': { $ref: '#/components/responses/RateLimitHit' },
    '503': { $ref: '#/components/responses/ServiceUnavailable' },
  };
}

function success(endpoint: EndpointDescriptor): Json {
  const own = described(
    endpoint.operation,
    inWords(published(endpoint.response), [endpoint.operation]),
  );
  const schema = withEnvelope(withLevels(endpoint.operation, own));
  const example = { result: 'success', msg: '', ...(exampleOf(own) as Json) };
  return { description: 'Done.', content: { 'application/json': { schema, example } } };
}

/** A reply whose fields say with which level they came. */
function withLevels(operation: string, own: Json): Json {
  if (own.properties === undefined) return own;
  const fields = Object.entries(own.properties as Record<string, Json>);
  const properties = Object.fromEntries(
    fields.map(([name, schema]) => [
      name,
      { ...schema, ...levelMark(levelOfField(operation, name)) },
    ]),
  );
  return { ...own, properties };
}

/** The reply of `POST /register` says what each of its many fields means. */
function described(operation: string, own: Json): Json {
  if (operation !== 'register-queue') return own;
  const always = Object.entries(own.properties as Record<string, Json>).map(([name, schema]) => [
    name,
    { ...schema, ...ALWAYS[name] },
  ]);
  const properties = { ...Object.fromEntries(always), ...registerProperties() } as Json;
  return inWords({ ...own, properties }, [operation]);
}

/** A success body in its envelope, as one object, so that it may say that nothing else is in it. */
function withEnvelope(own: Json): Json {
  if (own.type !== 'object') return { allOf: [{ $ref: '#/components/schemas/Success' }, own] };
  return {
    ...own,
    properties: { ...SUCCESS.properties, ...(own.properties as Json | undefined) },
    required: [...SUCCESS.required, ...((own.required as string[] | undefined) ?? [])],
  };
}

function refusal(codes: readonly string[]): Json {
  const examples = Object.fromEntries(codes.map((code) => [code, { value: exampleError(code) }]));
  return {
    description: `Refused; nothing changed. Codes: ${codes.join(', ')}.`,
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples },
    },
  };
}
