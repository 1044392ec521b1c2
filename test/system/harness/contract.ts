import type { ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import type { Json } from '../../../schemas/openapi/json-schema.js';
import type { Body } from './client.js';
import { contractDocument } from './contract-document.js';

/** Every reply and event that a test sees is compared with the published document. */

const DOCUMENT = await contractDocument();
/** Compiles what a process of tests meets, once each: the code it makes runs too seldom to be worth more. */
const ajv = new Ajv2020.default({
  strict: false,
  allErrors: false,
  allowUnionTypes: true,
  inlineRefs: false,
  code: { optimize: false },
  // The tests of the document judge it as a whole.
  meta: false,
  validateSchema: false,
});
ajv.addSchema({ $id: 'contract', ...withoutEvents(DOCUMENT) });

/** The document whose replies hold events of any form: `eventFault` compares each with those of its type. */
function withoutEvents(document: Json): Json {
  const components = document.components as { schemas: Json };
  return {
    ...document,
    components: { ...components, schemas: { ...components.schemas, Event: {} } },
  };
}

interface Operation {
  readonly method: string;
  readonly pattern: RegExp;
  /** JSON pointer of the operation. */
  readonly pointer: string;
  readonly statuses: ReadonlySet<string>;
}

const escaped = (text: string): string => text.replaceAll('~', '~0').replaceAll('/', '~1');

const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths as Record<string, Json>)
  .flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      // A fragment of a navigation view has slashes of its own, and so has the path of a file.
      const tail = /^\/api\/v1\/(navigation_views|user_uploads|thumbnail\/status)\//.test(path)
        ? '.+'
        : '[^/]+';
      return {
        method: method.toUpperCase(),
        pattern: new RegExp(`^${path.replace(/\{\w+\}/g, tail)}$`),
        pointer: `/paths/${escaped(path)}/${method}`,
        statuses: new Set(Object.keys((operation as { responses: Json }).responses)),
        literals: path.split('/').filter((part) => !part.startsWith('{')).length,
      };
    }),
  )
  // What is written out goes before what stands for anything.
  .sort((a, b) => b.literals - a.literals);

const validators = new Map<string, ValidateFunction>();

function validator(reference: string): ValidateFunction {
  let found = validators.get(reference);
  if (!found) {
    found = ajv.compile({ $ref: `contract#${reference}` });
    validators.set(reference, found);
  }
  return found;
}

function objection(reference: string, value: unknown): string | null {
  const check = validator(reference);
  return check(value) ? null : ajv.errorsText(check.errors, { dataVar: 'body' });
}

const EVENTS = Object.entries((DOCUMENT.components as { schemas: Record<string, Json> }).schemas)
  .filter(([name]) => name.endsWith('Event') || /Event\d+$/.test(name))
  .filter(([name]) => name !== 'Event')
  .map(([name, schema]) => ({ name, types: typesOf(schema) }));

function typesOf(schema: Json): string[] {
  const forms = (schema.anyOf as Json[] | undefined) ?? [schema];
  return forms.map((form) => String((form.properties as { type: { const: string } }).type.const));
}

/** Why an event is none of the published ones, or null. */
export function eventFault(event: Body): string | null {
  const candidates = EVENTS.filter(({ types }) => types.includes(String(event.type)));
  const faults: string[] = [];
  for (const { name } of candidates) {
    const fault = objection(`/components/schemas/${name}`, event);
    if (fault === null) return null;
    faults.push(`${name}: ${fault}`);
  }
  return `event is not in the contract: ${JSON.stringify(event)}\n${faults.join('\n')}`;
}

/** Why the body of a success is not that of a path as it is published, or null. @param method in lower case */
export function bodyFault(method: string, path: string, body: Body): string | null {
  return successBodyFault(`/paths/${escaped(path)}/${method}`, body);
}

/** Why a reply is not as published, or null. */
export function replyFault(
  method: string,
  path: string,
  status: number,
  body: Body,
): string | null {
  const [place = ''] = path.split('?');
  if (!place.startsWith('/api/v1/') || place === '/api/v1/openapi.json') return null;
  if (method === 'HEAD' || method === 'OPTIONS') return null;
  const operation = OPERATIONS.find((one) => one.method === method && one.pattern.test(place));
  const fault =
    status === 200 ? successFault(operation, body) : errorFault(operation, status, body);
  return fault === null ? null : `${method} ${path} (${status}): ${fault}`;
}

const EVENTS_POINTER = `/paths/${escaped('/api/v1/events')}/get`;

/** Of more events in one reply, which are alike then, only the first and the last are compared. */
const MANY_EVENTS = 200;

/** A test that compared each of a million events could not poll as fast as they come. */
function compared(events: readonly Body[]): readonly Body[] {
  if (events.length <= MANY_EVENTS) return events;
  return [...events.slice(0, MANY_EVENTS / 2), ...events.slice(-MANY_EVENTS / 2)];
}

function successFault(operation: Operation | undefined, body: Body): string | null {
  if (!operation) return 'a success of an operation that is not published';
  if (operation.pointer === EVENTS_POINTER && Array.isArray(body.events)) {
    const events = compared(body.events as Body[]);
    for (const event of events) {
      const fault = eventFault(event);
      if (fault !== null) return fault;
    }
    body = { ...body, events };
  }
  return successBodyFault(operation.pointer, body);
}

/** @param operation its JSON pointer */
function successBodyFault(operation: string, body: Body): string | null {
  const pointer = `${operation}/responses/200/content/application~1json/schema`;
  return objection(pointer.replaceAll('{', '%7B').replaceAll('}', '%7D'), body);
}

function errorFault(operation: Operation | undefined, status: number, body: Body): string | null {
  // 405 is of no operation, nor is a path that does not exist; 413 comes before one is known.
  const ofNone = [405, 413, 500].includes(status) || (status === 404 && body.msg === 'Not Found');
  const known = ofNone || operation?.statuses.has(String(status));
  if (operation && !known) return `status ${status} is not published`;
  return objection('/components/schemas/Error', body);
}
