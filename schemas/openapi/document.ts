import { ALL_ENDPOINTS } from '../endpoints.js';
import { FEATURE_LEVEL, ZULIP_VERSION } from '../limits.js';
import { CHANGES } from './changes.js';
import { ERROR_CODES, exampleError } from './error-codes.js';
import { completed, shareTitled, type Json } from './json-schema.js';
import { eventSchemas } from './event-schemas.js';
import { tagObjects, tagOf } from './tags.js';
import { operationObject, publishedPath, SUCCESS } from './operation.js';

const INTRODUCTION = `The REST interface of a team chat server, as existing Zulip clients speak it.

Parameters are form-encoded: in the body for POST, PATCH and PUT, in the query for GET and DELETE (both
places are read for every method). Lists and objects are JSON text in one field. A body of type
\`application/json\` is one object of the same parameters, with lists and objects as they are. Requests are authenticated
by HTTP Basic: the e-mail address of the user or bot, and its API key. Every success reply has \`result\`
\`success\` and an empty \`msg\`; parameters an endpoint does not know are named in
\`ignored_parameters_unsupported\`. Every error has \`result\` \`error\`, \`msg\` and \`code\`.`;

function* paths(server: string): Generator<void, Record<string, Json>> {
  const found: Record<string, Record<string, Json>> = {};
  for (const endpoint of ALL_ENDPOINTS) {
    if (endpoint.unpublished) continue;
    yield;
    const path = publishedPath(endpoint);
    const item = (found[path] ??= {});
    const operation = operationObject(endpoint, tagOf(endpoint.path), server);
    item[endpoint.method.toLowerCase()] =
      endpoint.operation === 'get-events' ? pollOperation(operation) : operation;
  }
  return found;
}

const QUEUE_ID = {
  type: 'string',
  description: 'Id of the queue: the one that was asked for, or the one this request registered.',
  examples: ['fb67bf8a-c031-47cc-84cf-ed80accacda8'],
} as const;

/** The poll answers with the events themselves. */
function pollOperation(operation: Json): Json {
  const text =
    'The same path opens a WebSocket where the request asks for an upgrade: its messages are the events ' +
    'of the queue, and a client may change between the two with its cursor.';
  const responses = operation.responses as Record<string, Json>;
  const events = {
    type: 'array',
    items: { $ref: '#/components/schemas/Event' },
    description:
      'Events after the cursor, oldest first; a heartbeat if there were none for a while.',
    examples: [[{ id: 2048, type: 'heartbeat' }]],
  };
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Success' },
      {
        type: 'object',
        properties: { events, queue_id: QUEUE_ID },
        required: ['events', 'queue_id'],
      },
    ],
  };
  const example = {
    result: 'success',
    msg: '',
    queue_id: QUEUE_ID.examples[0],
    events: [{ id: 2048, type: 'heartbeat' }],
  };
  return {
    ...operation,
    description: `${String(operation.description)}\n\n${text}`,
    responses: {
      ...responses,
      '200': {
        description: 'Events, oldest first.',
        content: { 'application/json': { schema, example } },
      },
    },
  };
}

function shared(description: string, code: string): Json {
  return {
    description,
    headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'number' } } },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: exampleError(code),
      },
    },
  };
}

/** `shareTitled` of each member. */
function* shareTitledOfEach(
  members: Record<string, Json>,
  components: Record<string, Json>,
): Generator<void, Record<string, Json>> {
  const found: Record<string, Json> = {};
  for (const [name, member] of Object.entries(members)) {
    yield;
    found[name] = shareTitled(member, components) as Json;
  }
  return found;
}

/**
 * The contract as an OpenAPI 3.1 document, generated from the descriptors and event schemas.
 *
 * @param url base URL of the server that publishes it
 */
export function openApiDocument(url: string): Json {
  return completed(openApiDocumentInParts(url));
}

/** The same, for a server that has other work meanwhile: it may stop where this yields. */
export function* openApiDocumentInParts(url: string): Generator<void, Json> {
  const shapes: Record<string, Json> = {};
  const events = yield* shareTitledOfEach(yield* eventSchemas(), shapes);
  const served = yield* shareTitledOfEach(yield* paths(url), shapes);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Parley',
      version: `${ZULIP_VERSION} (feature level ${FEATURE_LEVEL})`,
      description: INTRODUCTION,
      contact: { name: 'Whoever operates this server' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url }],
    security: [{ basic: [] }],
    tags: tagObjects(),
    paths: served,
    components: {
      securitySchemes: {
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'API e-mail address and API key.',
        },
      },
      responses: {
        RateLimitHit: shared('Too many requests.', 'RATE_LIMIT_HIT'),
        ServiceUnavailable: shared('Try again; nothing changed.', 'SERVICE_UNAVAILABLE'),
      },
      schemas: {
        Success: SUCCESS,
        Error: {
          type: 'object',
          properties: {
            result: { const: 'error', description: 'Says that the request was refused.' },
            msg: {
              type: 'string',
              description: 'Error message for people.',
              examples: [ERROR_CODES.BAD_REQUEST!.msg],
            },
            code: {
              enum: Object.keys(ERROR_CODES),
              description: 'Error code for programs; some codes add fields.',
              examples: ['BAD_REQUEST'],
            },
          },
          required: ['result', 'msg', 'code'],
          additionalProperties: true,
        },
        Event: {
          anyOf: Object.keys(events).map((name) => ({ $ref: `#/components/schemas/${name}` })),
        },
        ...events,
        ...shapes,
      },
    },
    'x-feature-level': FEATURE_LEVEL,
    'x-changes': CHANGES,
  };
}
