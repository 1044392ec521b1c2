import t from 'tap';
import Type from 'typebox';
import { optional, required, type Params } from '../../../../schemas/endpoint.js';
import { LenientList } from '../../../../schemas/lenient-list.js';
import { LongText } from '../../../../schemas/text.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { toyEndpoint } from '../toy-server.js';

function decode(params: Params, texts: Record<string, string>) {
  const decoder = compileDecoder(toyEndpoint({ method: 'GET', path: '/x', params }));
  return decoder(new Map(Object.entries(texts)), {});
}

void t.test('the lists of a request have a bound together', async (t) => {
  const endpoint = toyEndpoint({
    method: 'POST',
    path: '/x',
    params: {
      users: optional(LenientList, { wire: 'lenient' }),
      channels: required(Type.Array(Type.Integer(), { maxItems: 100 })),
    },
    pairs: [{ of: ['users', 'channels'], max: 100 }],
  });
  const decode = compileDecoder(endpoint);
  const ask = (users: string, channels: number) => {
    const list = JSON.stringify(Array.from({ length: channels }, (_, i) => i));
    return decode(
      new Map([...(users === '' ? [] : [['users', users] as const]), ['channels', list]]),
      {},
    );
  };
  const refusal = { message: "Too many combinations of 'users' and 'channels' (limit: 100)" };
  t.doesNotThrow(() => ask('[1,2]', 50));
  t.throws(() => ask('[1,2]', 51), refusal);
  t.doesNotThrow(() => ask('', 100), 'nobody named is one');
  t.doesNotThrow(() => ask('7', 100));
  t.throws(() => ask('7,8', 51), refusal);
  t.throws(() => ask('7,8\n9', 34), refusal, 'separated in either way');
  const many = Array.from({ length: 10_001 }, (_, i) => i);
  const tooLong = { message: 'users is too long (limit: 10000 items)' };
  t.throws(() => ask(JSON.stringify(many), 1), tooLong);
  t.throws(() => ask(many.join(), 1), tooLong);
});

void t.test('the parameters of a request have a length together', async (t) => {
  const params = { a: optional(LongText), b: optional(LongText) };
  const half = 'x'.repeat(512 * 1024);
  t.ok(decode(params, { a: half, b: half }));
  t.throws(() => decode(params, { a: half, b: `${half}x` }), {
    message: 'Parameters are too long together (limit: 1048576 characters)',
  });
  t.throws(() => decode(params, { a: `${half}${half}x` }), {
    message: 'a is too long (limit: 1048576 characters)',
  });
  t.ok(decode(params, { a: half, c: `${half}${half}` }), 'what nobody knows is not looked at');
});
