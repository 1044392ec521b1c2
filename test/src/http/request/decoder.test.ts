import t from 'tap';
import Type, { type TSchema } from 'typebox';
import fc from 'fast-check';
import {
  Id,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
  type ParamOptions,
  type Params,
} from '../../../../schemas/endpoint.js';
import { ApiError } from '../../../../src/errors/index.js';
import { compileDecoder } from '../../../../src/http/request/decoder.js';
import { JsonField, readForm } from '../../../../src/http/request/form.js';
import { toyEndpoint } from '../toy-server.js';

function decoder(params: Params, path = '/x') {
  return compileDecoder(toyEndpoint({ method: 'GET', path, params }));
}

function decode(params: Params, texts: Record<string, string>) {
  return decoder(params)(new Map(Object.entries(texts)), {});
}

/** What one parameter `v` becomes: its value, or the refusal's text. */
function one(schema: TSchema, text: string, options?: ParamOptions): unknown {
  return message(() => decode({ v: required(schema, options) }, { v: text }).params.v);
}

function message(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError && error.status === 400) return error.message;
    throw error;
  }
}

void t.test('texts are taken raw', async (t) => {
  t.equal(one(Type.String(), '"a"'), '"a"');
  t.equal(one(Type.String(), ''), '');
  t.equal(one(Type.String(), 'null'), 'null');
  t.equal(one(nullable(Type.String()), 'null'), null);
  t.equal(one(oneOf('all', 'none'), 'none'), 'none');
});

// [c:json-parameters]
void t.test('other types are JSON text', async (t) => {
  t.equal(one(Type.Boolean(), 'true'), true);
  t.equal(one(Type.Integer(), '17'), 17);
  t.equal(one(Type.Number(), '1.5'), 1.5);
  t.equal(one(nullable(Type.Integer()), 'null'), null);
  t.equal(one(oneOf(1, 2), '2'), 2);
  t.same(one(Type.Array(Id), ' [1, 2] '), [1, 2]);
  t.same(one(Type.Record(Type.String(), Type.Integer()), '{"a":1}'), { a: 1 });
  t.same(one(Type.Unknown(), '{"a":[null]}'), { a: [null] });
});

void t.test(
  'a float is no integer, whatever its value; a number may be either, and a text says what it says',
  (t) => {
    t.equal(one(Type.Number(), '1.0'), 1);
    t.same(one(Type.Unknown(), '{"a":["1e2",1.5]}'), { a: ['1e2', 1.5] });
    t.equal(one(Type.Unknown(), '{"a":[1,1e2]}'), 'v["a"][1] is not an integer');
    t.same(one(Type.Array(Type.String()), '["1.0","a \\" 2e3"]'), ['1.0', 'a " 2e3']);
    const json = (text: string): unknown => {
      const { fields } = readForm('application/json', Buffer.from(text));
      const decodeBody = decoder({ v: required(Type.Array(Id)), n: optional(Type.Number()) });
      return message(() => decodeBody(fields!, {}).params);
    };
    t.match(json('{"v":[1,2],"n":1.0}'), { v: [1, 2], n: 1 });
    t.equal(json('{"n":1.0,"v":[1,2.0]}'), 'v[1] is not an integer');
    t.equal(json('{"v":[1e3]}'), 'v[0] is not an integer');
    t.end();
  },
);

const WORDINGS: readonly [TSchema, string, string][] = [
  [Type.Integer(), 'abc', 'v is not valid JSON'],
  [Type.Boolean(), '', 'v is not valid JSON'],
  [Type.Boolean(), 'True', 'v is not valid JSON'],
  [Type.Boolean(), '1', 'v is not a boolean'],
  [Type.Integer(), '1.5', 'v is not an integer'],
  [Type.Integer(), '"1"', 'v is not an integer'],
  [Type.Integer(), '1.0', 'v is not an integer'],
  [Type.Integer(), '1e12', 'v is not an integer'],
  [Type.Array(Id), '[1,2E0]', 'v[1] is not an integer'],
  [nullable(Type.Integer()), '"1"', 'v is not an integer'],
  [Type.Integer(), 'null', 'v is not an integer'],
  [Type.Number(), '"1"', 'v is not a float'],
  [Type.Number(), '1e999', 'v is too large'],
  [Type.Array(Id), '{}', 'v is not a list'],
  [Type.Object({}), '[]', 'v is not a dict'],
  [Type.Array(Id), '[1,2,"x"]', 'v[2] is not an integer'],
  [
    Type.Array(Type.Object({ stream_id: Id })),
    '[{"stream_id":"a"}]',
    'v[0]["stream_id"] is not an integer',
  ],
  [Type.Array(Type.Object({ stream_id: Id })), '[{}]', 'stream_id key is missing from v[0]'],
  [Type.Object({ a: Type.Object({ b: Id }) }), '{"a":{}}', 'b key is missing from v["a"]'],
  [Type.Object({}, { additionalProperties: false }), '{"k":1}', 'Argument "k" at v is unexpected'],
  [Type.Object({ a: Type.String() }), '{"a":5}', 'v["a"] is not a string'],
  [Type.Record(Type.String(), Type.Boolean()), '{"a":1}', 'v["a"] is not a boolean'],
  [Type.Tuple([Type.String(), Id]), '["a"]', 'v should have exactly 2 items'],
  [Type.Tuple([Type.String(), Id]), '["a","b"]', 'v[1] is not an integer'],
  [Type.Array(Id, { minItems: 2, maxItems: 2 }), '[1]', 'v should have exactly 2 items'],
  [Type.Array(Id, { maxItems: 1 }), '[1,2]', 'v is too long (limit: 1 items)'],
  [Type.Array(Id, { minItems: 1 }), '[]', 'v cannot be empty'],
  [oneOf('a', 'b'), 'c', 'Invalid v'],
  [oneOf(1, 2), '3', 'Invalid v'],
  [oneOf(1, 2), '"1"', 'v is not an integer'],
  [Type.Enum(['a', 'b']), '"c"', 'Invalid v'],
  [Type.String({ minLength: 1 }), '', 'v cannot be blank'],
  [Type.String({ minLength: 3 }), 'ab', 'v is too short.'],
  [Type.String({ maxLength: 3 }), 'abcd', 'v is too long (limit: 3 characters)'],
  [Type.String({ minLength: 2, maxLength: 2 }), 'abc', 'v has incorrect length 3; should be 2'],
  [Type.String({ pattern: '^a' }), 'b', 'Invalid v'],
  [Type.String({ format: 'date' }), '2024-02-30', 'v is not a date'],
  [Type.String({ format: 'uri' }), 'javascript:x', 'v is not a URL'],
  [Type.String({ format: 'hex-color' }), '#12345', 'v is not a valid hex color code'],
  [Type.String({ format: 'time-zone' }), 'Mars/Base', 'v is not a recognized time zone'],
  [Id, '-1', 'v is too small'],
  [Id, '9007199254740993', 'v is too large'],
  [Type.Integer({ exclusiveMinimum: 0, exclusiveMaximum: 5 }), '0', 'v is too small'],
  [Type.Integer({ exclusiveMinimum: 0, exclusiveMaximum: 5 }), '5', 'v is too large'],
  [Type.String(), 'a\0b', 'v must not contain null bytes'],
  [Type.Array(Type.String()), '["a\\u0000"]', 'v[0] must not contain null bytes'],
  [Type.Unknown(), '{"a":["\\u0000"]}', 'v["a"][0] must not contain null bytes'],
  [Type.Array(Type.String()), '["\\ud800"]', 'Malformed payload'],
  [Type.Union([Type.String(), Type.Array(Id)]), 'true', 'v is not a string or an integer list'],
  [Type.Union([Type.Integer(), Type.Boolean()]), '"x"', 'v is not an integer or boolean'],
];

void t.test('each fault has its wording', async (t) => {
  for (const [schema, text, wording] of WORDINGS) {
    t.equal(one(schema, text), wording, `${text} -> ${wording}`);
  }
});

void t.test('lengths count code points', async (t) => {
  t.equal(one(Type.String({ maxLength: 3 }), '😀😀😀'), '😀😀😀');
  t.equal(one(Type.String({ maxLength: 3 }), '😀😀😀😀'), 'v is too long (limit: 3 characters)');
  t.equal(one(Type.String({ minLength: 2 }), '😀'), 'v is too short.');
  t.equal(one(Type.String({ nulAllowed: true }), 'a\0'), 'a\0');
});

void t.test('formats accept what they name', async (t) => {
  t.equal(one(Type.String({ format: 'date' }), '2024-02-29'), '2024-02-29');
  t.equal(one(Type.String({ format: 'uri' }), 'https://a.example/x'), 'https://a.example/x');
  t.equal(one(Type.String({ format: 'hex-color' }), '#a1B2c3'), '#a1B2c3');
  t.equal(one(Type.String({ format: 'time-zone' }), 'Europe/Berlin'), 'Europe/Berlin');
});

void t.test('lenient parameters are JSON where they can be', async (t) => {
  const lenient = { wire: 'lenient' } as const;
  const nameOrId = Type.Union([Type.String(), Id]);
  t.equal(one(nameOrId, '7', lenient), 7);
  t.equal(one(nameOrId, '"7"', lenient), '7');
  t.equal(one(nameOrId, 'general', lenient), 'general');
  t.equal(one(nameOrId, '[1]', lenient), 'v is not a string or integer');
  const recipients = Type.Union([Type.String(), Type.Array(Id)]);
  t.same(one(recipients, '[1,2]', lenient), [1, 2]);
  t.equal(one(recipients, '{}', lenient), 'v is not a string or an integer list');
  t.equal(one(recipients, '[1,"a"]', lenient), 'v[1] is not an integer');
  const several = Type.Union([Type.Array(Id), Type.Array(Type.String()), Id, Type.String()]);
  t.same(one(several, '["a","b"]', lenient), ['a', 'b']);
  t.equal(one(several, 'true', lenient), 'v is not a string or an integer list');
  t.equal(one(Type.String(), '2024', lenient), '2024', 'only a text can be meant');
  t.equal(one(Type.String(), '"quoted"', lenient), 'quoted');
  t.equal(one(Type.Boolean(), 'yes', lenient), 'v is not valid JSON');
});

void t.test('an integer may name a larger maximum than JavaScript holds exactly', async (t) => {
  const anchor = Type.Integer({ maximum: 1e19 });
  t.equal(one(anchor, '10000000000000000'), 1e16);
});

void t.test(
  'an absent parameter has its default, and a required one is named in the refusal',
  async (t) => {
    const params = {
      a: required(Type.String()),
      b: optional(Id),
      c: withDefault(Id, 5),
      d: optional(Id, { nullMeansAbsent: true }),
    };
    t.same(decode(params, { a: '' }).params, { a: '', c: 5 });
    t.same(decode(params, { a: 'x', d: 'null' }).params, { a: 'x', c: 5 });
    t.same(decode(params, { a: 'x', d: 'undefined' }).params, { a: 'x', c: 5 });
    t.throws(() => decode(params, {}), {
      status: 400,
      code: 'REQUEST_VARIABLE_MISSING',
      message: "Missing 'a' argument",
      fields: { var_name: 'a' },
    });
  },
);

void t.test('only the first fault in declaration order is told', async (t) => {
  const params = { a: required(Id), b: required(Id) };
  t.equal(
    message(() => decode(params, { b: 'x', a: 'y' })),
    'a is not valid JSON',
  );
  t.equal(
    message(() => decode(params, { b: 'x' })),
    "Missing 'a' argument",
  );
});

void t.test('aliases are the same parameter; two of them at once confuse', async (t) => {
  const params = { topic: required(Type.String(), { aliases: ['subject', 'orig_subject'] }) };
  t.same(decode(params, { subject: 'x' }), { params: { topic: 'x' }, ignored: [] });
  t.throws(() => decode(params, { subject: 'x', topic: 'y' }), {
    code: 'REQUEST_CONFUSING_VAR',
    message: "Can't decide between 'topic' and 'subject' arguments",
  });
  t.throws(() => decode(params, { subject: 'x', orig_subject: 'y' }), {
    code: 'REQUEST_CONFUSING_VAR',
    fields: { var_name1: 'subject', var_name2: 'orig_subject' },
  });
});

// [c:ignored-parameters]
void t.test('unknown names are listed, sorted', async (t) => {
  const texts = { z: '1', a: '1', client: 'x', method: 'GET', v: '1', __proto__x: '' };
  t.same(decode({ v: required(Id) }, texts).ignored, ['__proto__x', 'a', 'z']);
});

// [c:path-parameters]
void t.test(
  'path values come from the path only; the same name elsewhere is ignored',
  async (t) => {
    const params = { id: required(Id), name: required(Type.String({ maxLength: 3 })) };
    const run = decoder(params, '/x/{id}/{name+}');
    t.same(run(new Map([['id', 'junk']]), { id: 4, name: 'abc' }), {
      params: { id: 4, name: 'abc' },
      ignored: ['id'],
    });
    t.equal(
      message(() => run(new Map(), { id: 4, name: 'abcd' })),
      'name is too long (limit: 3 characters)',
    );
  },
);

void t.test('hostile JSON is harmless', async (t) => {
  const params = { v: required(Type.Object({ a: Type.Optional(Type.Unknown()) })) };
  const text = '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true},"b":1}}';
  const value = decode(params, { v: text }).params.v as { a: object };
  t.notOk(Object.hasOwn(value, '__proto__'));
  t.notOk(Object.hasOwn(value.a, '__proto__'));
  t.equal((Object.assign({}, value) as { admin?: boolean }).admin, undefined);
  t.strictSame(decode(params, { v: text }).ignored, ['v["__proto__"]'], 'told as any other');
  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  t.equal(one(Type.Unknown(), deep), 'v is not valid JSON');
  t.same(
    one(Type.Unknown(), `"${'['.repeat(100)}"`),
    '['.repeat(100),
    'brackets in a text are text',
  );
  const nested = `[${'[1],'.repeat(60_000)}1]`;
  const tooMany = 'v has too many lists, objects and members (limit: 50000)';
  t.equal(one(Type.Unknown(), nested), tooMany);
  const members = Array.from({ length: 60_000 }, (_, i) => `"${i}":1`).join();
  t.equal(one(Type.Unknown(), `{${members}}`), tooMany);
  const object = (count: number) =>
    `{${Array.from({ length: count }, (_, i) => `"name ${i}":{}`).join()}}`;
  const inOne = 'v has too many members in one object (limit: 10000)';
  t.equal(one(Type.Unknown(), `[${object(10_001)},{"a":1}]`), inOne);
  t.type(one(Type.Unknown(), `[${object(10_000)},${object(10_000)}]`), Array);
  t.equal(
    one(Type.Unknown(), `"${'a'.repeat(5_000_000)}"`),
    'v is too long (limit: 1048576 characters)',
  );
});

void t.test('schemas that are not understood fail at boot', async (t) => {
  const boot = (schema: TSchema, options?: ParamOptions) => () =>
    decoder({ v: required(schema, { wire: 'json', ...options }) });
  t.throws(boot(Type.Intersect([Type.Object({}), Type.Object({})])), /GET \/x: v: .*not supported/);
  t.throws(boot(Type.Integer({ multipleOf: 2 })), /keyword multipleOf is not supported/);
  t.throws(boot(Type.Array(Id, { uniqueItems: true })), /keyword uniqueItems/);
  t.throws(boot(Type.Object({ a: Type.Ref('B') })), /not supported/);
  t.throws(boot(Type.String({ format: 'ipv4' })), /unknown string format ipv4/);
  t.throws(boot(Id, { wire: 'text' }), /needs a string schema/);
  t.throws(() => decoder({ client: required(Type.String()) }), /a meaning of its own/);
  t.throws(() => decoder({}, '/x/{id}'), /path placeholder id is not a parameter/);
});

void t.test('any text gives a value or a refusal', async () => {
  const shape = Type.Object({ a: Type.Optional(Type.Array(nullable(Id))), b: Type.Unknown() });
  const schemas = [shape, Id, Type.String({ minLength: 1 }), Type.Union([Type.String(), shape])];
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.string());
  fc.assert(
    fc.property(fc.constantFrom(...schemas), text, fc.boolean(), (schema, sent, lenient) => {
      message(() =>
        decode({ v: required(schema, lenient ? { wire: 'lenient' } : {}) }, { v: sent }),
      );
    }),
    { numRuns: 500 },
  );
});

/** What one parameter `v` that came as JSON becomes: its value, or the refusal's text. */
function oneValue(schema: TSchema, value: unknown, options?: ParamOptions): unknown {
  const fields = new Map([['v', new JsonField(value)]]);
  return message(() => decoder({ v: required(schema, options) })(fields, {}).params.v);
}

void t.test('values of a JSON body need not be text', async (t) => {
  const lenient = { wire: 'lenient' } as const;
  const status = { wire: 'json' } as const;
  for (const [schema, value, expected, options] of [
    [Type.String(), 'a', 'a'],
    [Type.String(), '"a"', '"a"'],
    [Type.String(), 17, 'v is not a string'],
    [Type.String(), null, 'v is not a string'],
    [Type.String({ maxLength: 2 }), 'abc', 'v is too long (limit: 2 characters)'],
    [Type.String(), 'a\0', 'v must not contain null bytes'],
    [nullable(Type.String()), null, null],
    [nullable(Type.String()), 'null', 'null'],
    [oneOf('all', 'none'), 'some', 'Invalid v'],
    [oneOf('active', 'idle'), 'idle', 'idle', status],
    [Type.Boolean(), true, true],
    [Type.Boolean(), 'true', true],
    [Type.Boolean(), 1, 'v is not a boolean'],
    [Type.Integer(), 17, 17],
    [Type.Integer(), '17', 17],
    [Type.Integer(), 'x', 'v is not an integer'],
    [Type.Integer(), 1.5, 'v is not an integer'],
    [Type.Integer(), '1.5', 'v is not an integer'],
    [Type.Integer(), [1], 'v is not an integer'],
    [Type.Integer(), 1e300, 'v is too large'],
    [Type.Array(Id), [1, 2], [1, 2]],
    [Type.Array(Id), '[1, 2]', [1, 2]],
    [Type.Array(Id), [1, 'x'], 'v[1] is not an integer'],
    [Type.Array(Id), { a: 1 }, 'v is not a list'],
    [Type.Object({ a: Id }), { a: 1 }, { a: 1 }],
    [Type.Object({ a: Id }), { a: '1' }, 'v["a"] is not an integer'],
    [Type.Object({ a: Id }), {}, 'a key is missing from v'],
    [Type.Union([Type.String(), Id]), 'general', 'general', lenient],
    [Type.Union([Type.String(), Id]), 9, 9, lenient],
    [Type.Union([Type.String(), Id]), '9', '9', lenient],
    [Type.Unknown(), { a: [null] }, { a: [null] }],
  ] as [TSchema, unknown, unknown, ParamOptions?][]) {
    t.strictSame(oneValue(schema, value, options), expected, JSON.stringify(value));
  }
  const absent = decoder({ v: optional(Id, { nullMeansAbsent: true }) });
  t.same(absent(new Map([['v', new JsonField(null)]]), {}).params, {});
});
