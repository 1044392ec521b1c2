/** requests.md#reading: a float is no integer, in whatever parameter and form. */
import t from 'tap';
import type { TSchema } from 'typebox';
import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import type { EndpointDescriptor, Param } from '../../../../schemas/endpoint.js';
import { ApiError } from '../../../../src/errors/index.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { readForm, readUrlEncoded, type RawParameters } from '../../../../src/http/request/form.js';
import { toyEndpoint } from '../toy-server.js';

interface Keywords {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly items?: TSchema | readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly patternProperties?: Readonly<Record<string, TSchema>>;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Values with a float in the place of each integer that a schema has, as JSON text. */
function* floatsOf(schema: TSchema, float: string): Generator<string> {
  const s = schema as Keywords;
  const isFree = Object.keys(s).every((key) => !/^(?:type|anyOf|enum|const)$/.test(key));
  if (isFree) yield* [float, `[${float}]`, `{"id":${float}}`];
  if (s.type === 'integer') yield float;
  if ([s.const, ...(s.enum ?? [])].some((one) => typeof one === 'number')) yield float;
  for (const one of s.anyOf ?? []) yield* floatsOf(one, float);
  for (const one of s.items === undefined ? [] : [s.items].flat()) {
    for (const value of floatsOf(one, float)) yield `[${value}]`;
  }
  for (const [name, one] of Object.entries(s.properties ?? {})) {
    for (const value of floatsOf(one, float)) yield `{${JSON.stringify(name)}:${value}}`;
  }
  for (const one of Object.values(s.patternProperties ?? {})) {
    for (const value of floatsOf(one, float)) yield `{"1":${value}}`;
  }
}

/** Ways in which clients send one parameter. */
const FORMS: Readonly<Record<string, (name: string, json: string) => RawParameters>> = {
  'a query or form': (name, json) => readUrlEncoded(`${name}=${encodeURIComponent(json)}`),
  'a JSON body': (name, json) =>
    readForm('application/json', Buffer.from(`{"${name}":${json}}`)).fields!,
  'a text in a JSON body': (name, json) =>
    readForm('application/json', Buffer.from(`{"${name}":${JSON.stringify(json)}}`)).fields!,
};

/** Whether a number that came as a float reaches the handler. */
function hasNumber(value: unknown): boolean {
  if (typeof value === 'number') return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNumber);
}

function isTaken(name: string, param: Param, fields: RawParameters): boolean {
  const decode = compileDecoder(
    toyEndpoint({ method: 'POST', path: '/x', params: { [name]: param } }),
  );
  try {
    return hasNumber(decode(fields, {}).params[name]);
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return false;
    throw error;
  }
}

void t.test('no parameter of any operation takes a float for an integer', async (t) => {
  const taken: string[] = [];
  let tried = 0;
  const params = ALL_ENDPOINTS.flatMap((one: EndpointDescriptor) =>
    Object.entries(one.params).map(([name, param]) => ({ of: one.operation, name, param })),
  );
  for (const { of, name, param } of params) {
    for (const float of ['1.0', '1e0', '4E0']) {
      for (const json of floatsOf(param.schema, float)) {
        for (const [form, fields] of Object.entries(FORMS)) {
          tried += 1;
          if (isTaken(name, param, fields(name, json)))
            taken.push(`${of}: ${name}=${json} in ${form}`);
        }
      }
    }
  }
  t.ok(tried > 1000, `${tried} values`);
  t.same(taken, []);
});
