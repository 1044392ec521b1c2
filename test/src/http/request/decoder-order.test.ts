import t from 'tap';
import Type from 'typebox';
import { optional, required, withDefault } from '../../../../schemas/endpoint.js';
import { ApiError } from '../../../../src/errors/index.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { toyEndpoint } from '../toy-server.js';

void t.test(
  'of many parameters, those that are named or have a value without a name are decoded in declaration order',
  async (t) => {
    const others = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`other_${i}`, optional(Type.Boolean())]),
    );
    const params = {
      first: optional(Type.Integer(), { aliases: ['old_first'] }),
      ...others,
      filled: withDefault(Type.Integer(), 7),
      needed: required(Type.Integer()),
      last: optional(Type.Integer()),
    };
    const decoder = compileDecoder(toyEndpoint({ method: 'PATCH', path: '/x', params }));
    const decode = (texts: Record<string, string>) => decoder(new Map(Object.entries(texts)), {});
    t.same(decode({ needed: '1' }).params, { filled: 7, needed: 1 });
    t.same(decode({ last: '2', old_first: '3', needed: '1', other_39: 'true' }).params, {
      first: 3,
      other_39: true,
      filled: 7,
      needed: 1,
      last: 2,
    });
    t.same(decode({ more: '', needed: '1' }).ignored, ['more']);
    const refused = (texts: Record<string, string>): string => {
      try {
        decode(texts);
        return 'accepted';
      } catch (error) {
        if (error instanceof ApiError) return error.message;
        throw error;
      }
    };
    t.equal(refused({ last: '2' }), "Missing 'needed' argument");
    t.equal(refused({ last: 'x', first: 'y', needed: '1' }), 'first is not valid JSON');
    t.equal(refused({ last: 'x', filled: 'y' }), 'filled is not valid JSON');
    t.equal(
      refused({ old_first: '1', first: '2', needed: '1' }),
      "Can't decide between 'first' and 'old_first' arguments",
    );
  },
);
