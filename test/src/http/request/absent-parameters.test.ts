/** requests.md#reading: null. */
import t from 'tap';
import Type from 'typebox';
import {
  Id,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
} from '../../../../schemas/endpoint.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { JsonField, type RawParameters } from '../../../../src/http/request/form.js';
import { toyEndpoint } from '../toy-server.js';

void t.test('null leaves out a parameter of which it is no value', async (t) => {
  const params = {
    flag: withDefault(Type.Boolean(), true),
    ids: optional(Type.Array(Id)),
    either: optional(Type.Union([Type.String(), Type.Array(Id)]), { wire: 'lenient' }),
    limit: optional(nullable(Type.Integer())),
    any: optional(Type.Unknown(), { wire: 'lenient' }),
    name: optional(Type.String()),
    word: optional(oneOf('all', 'none', 'null')),
  };
  const names = Object.keys(params);
  const kept = { flag: true, limit: null, any: null };
  const decode = compileDecoder(toyEndpoint({ method: 'PATCH', path: '/x', params }));
  const decoded = (value: string | JsonField): unknown => {
    const fields: RawParameters = new Map(names.map((name) => [name, value]));
    return decode(fields, {}).params;
  };
  t.same(decoded('null'), { ...kept, name: 'null', word: 'null' }, 'in a form');
  t.same(decoded(new JsonField(null)), kept, 'in a JSON body');
  const needed = { ids: required(Type.Array(Id)) };
  const strict = compileDecoder(toyEndpoint({ method: 'GET', path: '/x', params: needed }));
  t.throws(() => strict(new Map([['ids', 'null']]), {}), { message: 'ids is not a list' });
});
