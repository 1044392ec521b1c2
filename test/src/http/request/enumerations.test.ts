/** requests.md#reading: enumerations of strings. */
import t from 'tap';
import Type, { type TSchema } from 'typebox';
import { Id, nullable, oneOf, required } from '../../../../schemas/endpoint.js';
import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import { checkedText } from '../../../../schemas/text.js';
import { ApiError } from '../../../../src/errors/index.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { toyEndpoint } from '../toy-server.js';

/** What a parameter `v` becomes: its value, or the refusal's text. */
function one(schema: TSchema, text: string): unknown {
  const decode = compileDecoder(
    toyEndpoint({ method: 'GET', path: '/x', params: { v: required(schema) } }),
  );
  try {
    return decode(new Map([['v', text]]), {}).params.v;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

void t.test('a value of an enumeration is taken bare or as JSON text', async (t) => {
  t.equal(one(oneOf('all', 'none'), '"none"'), 'none');
  t.equal(one(oneOf('all', 'none'), '"some"'), 'Invalid v');
  t.equal(one(oneOf('all', 'none'), '"none'), 'Invalid v');
  t.equal(one(nullable(oneOf('all', 'none')), 'null'), null);
  const idOrWord = Type.Union([Id, oneOf('mobile')]);
  t.equal(one(idOrWord, '"mobile"'), 'mobile');
  t.equal(one(idOrWord, 'mobile'), 'mobile');
  t.equal(one(idOrWord, '7'), 7);
  const checkedByHandler = checkedText({ enum: ['all', 'none'] });
  t.equal(one(checkedByHandler, '"some"'), 'some');
});

void t.test('every parameter with listed values takes them in both forms', async (t) => {
  const told: string[] = [];
  for (const { operation, path, params } of ALL_ENDPOINTS) {
    for (const [name, { schema, wire }] of Object.entries(params)) {
      const { enum: values } = (schema as { told?: { enum?: readonly string[] } }).told ?? {};
      const literals = values ?? literalsOf(schema);
      if (literals.length === 0 || path.includes(`{${name}}`)) continue;
      told.push(`${operation} ${name}`);
      t.equal(wire, 'lenient', `${operation} ${name}`);
    }
  }
  for (const known of [
    'subscribe topics_policy',
    'create-channel topics_policy',
    'send-message type',
  ])
    t.ok(told.includes(known), known);
});

function literalsOf(schema: TSchema): unknown[] {
  const { const: value, anyOf = [] } = schema as { const?: unknown; anyOf?: TSchema[] };
  return typeof value === 'string' ? [value] : anyOf.flatMap(literalsOf);
}
