import t from 'tap';
import Type, { type TSchema } from 'typebox';
import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import { nullable, oneOf, optional, withDefault } from '../../../../schemas/endpoint.js';
import { compileDecoder, decoderOf } from '../../../../src/http/request/decoder.js';
import { JsonField } from '../../../../src/http/request/form.js';
import { toyEndpoint } from '../toy-server.js';

const Entry = Type.Object({ name: Type.String(), color: Type.Optional(Type.String()) });
const Group = Type.Union([
  Type.Integer(),
  Type.Object({ direct_members: Type.Array(Type.Integer()) }),
]);

/** What is told of a parameter `v` of this value. */
function ignored(schema: TSchema, value: unknown): readonly string[] {
  const endpoint = toyEndpoint({ method: 'GET', path: '/x', params: { v: optional(schema) } });
  const decode = compileDecoder(endpoint);
  const asText = decode(new Map([['v', JSON.stringify(value)]]), {}).ignored;
  const asJson = decode(new Map([['v', new JsonField(value)]]), {}).ignored;
  t.same(asJson, asText);
  return asText;
}

const ROWS: readonly [string, TSchema, unknown, readonly string[]][] = [
  ['declared members are not told', Entry, { name: 'a', color: 'b' }, []],
  [
    'of an object, by name',
    Entry,
    { name: 'a', colour: 1, also: [] },
    ['v["also"]', 'v["colour"]'],
  ],
  [
    'of entries of a list, at the first entry with it',
    Type.Array(Entry),
    [{ name: 'a' }, { name: 'b', x: 1 }, { name: 'c', x: 2, y: 3 }],
    ['v[1]["x"]', 'v[2]["y"]'],
  ],
  [
    'of objects within objects',
    Type.Object({ new: Group, old: Type.Optional(Group) }),
    { new: { direct_members: [], members: [] }, old: 1, former: { any: 1 } },
    ['v["former"]', 'v["new"]["members"]'],
  ],
  [
    'of the alternative that fits',
    Type.Array(
      Type.Union([
        Type.Object({ operator: Type.String(), operand: Type.Integer() }),
        Type.Object({ operator: Type.String(), operand: Type.String(), negated: Type.Boolean() }),
        Type.Tuple([Type.String(), Entry]),
      ]),
    ),
    [
      { operator: 'a', operand: 'b', negated: true, negate: false },
      { operator: 'a', operand: 1, negated: true },
      ['a', { name: 'b', z: 0 }],
    ],
    ['v[0]["negate"]', 'v[1]["negated"]', 'v[2][1]["z"]'],
  ],
  [
    'a record has any names, its values have not',
    Type.Record(Type.String(), Entry),
    { any: { name: 'a' }, other: { name: 'b', x: 1 } },
    ['v["other"]["x"]'],
  ],
  ['JSON of any form has none', Type.Unknown(), { a: { b: 1 } }, []],
  ['null is no object', nullable(Entry), null, []],
];

for (const [title, schema, value, told] of ROWS) {
  void t.test(`undeclared members: ${title}`, async (t) => {
    t.same(ignored(schema, value), told);
  });
}

// [c:ignored-members]
void t.test(
  'members are told with undeclared parameters, sorted; a default is not searched',
  async (t) => {
    const params = {
      mode: withDefault(oneOf('a', 'b'), 'a'),
      one: optional(Entry),
      two: withDefault(Entry, { name: 'x' }),
    };
    const decode = compileDecoder(toyEndpoint({ method: 'GET', path: '/x', params }));
    const texts = new Map([
      ['zzz', '1'],
      ['one', '{"name":"a","b":1}'],
      ['a', ''],
    ]);
    t.same(decode(texts, {}).ignored, ['a', 'one["b"]', 'zzz']);
  },
);

void t.test('at most a hundred members are told of a parameter, each once', async (t) => {
  const many = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 0]));
  const told = ignored(Entry, { name: 'a', ...many('m', 150) });
  t.equal(told.length, 100);
  t.ok(told.includes('v["m0"]') && told.includes('v["m99"]') && !told.includes('v["m100"]'));
  const list = Array.from({ length: 200 }, () => ({ name: 'a', ...many('m', 99) }));
  const all = ignored(Type.Array(Entry), [...list, { name: 'b', ...many('n', 5) }]);
  t.equal(all.length, 100, 'what is told twice counts once');
  t.ok(all.includes('v[200]["n0"]'));
});

/** A parameter of an endpoint with an undeclared member, and what is told of it. */
const ENDPOINT_ROWS: readonly [string, string, unknown, string][] = [
  ['subscribe', 'subscriptions', [{ name: 'a', invite_only: true }], '[0]["invite_only"]'],
  [
    'update-settings',
    'target_users',
    { user_ids: [1], emails: [], skip_if_already_edited: true },
    '["emails"]',
  ],
  ['register-queue', 'client_capabilities', { teleportation: true }, '["teleportation"]'],
  ['create-drafts', 'drafts', [{ type: '', to: [], topic: '', content: '', id: 7 }], '[0]["id"]'],
  ['get-messages', 'narrow', [{ operator: 'is', operand: 'dm', negate: true }], '[0]["negate"]'],
  ['update-realm', 'can_create_groups', { new: 1, previous: 2 }, '["previous"]'],
  [
    'create-custom-profile-field',
    'field_data',
    { a: { text: 'A', order: '1', color: 'red' } },
    '["a"]["color"]',
  ],
  ['create-custom-profile-field', 'field_data', { subtype: 'github', hint: 'x' }, '["hint"]'],
  ['update-user', 'profile_data', [{ id: 1, value: 'a', name: 'b' }], '[0]["name"]'],
];

for (const [operation, name, value, at] of ENDPOINT_ROWS) {
  void t.test(`undeclared members are told by ${operation}`, async (t) => {
    const endpoint = ALL_ENDPOINTS.find((one) => one.operation === operation)!;
    const filler = endpoint.example ?? {};
    const texts = new Map<string, string>();
    for (const [key, sample] of Object.entries(filler)) {
      if (!endpoint.path.includes(`{${key}}`)) {
        texts.set(key, typeof sample === 'string' ? sample : JSON.stringify(sample));
      }
    }
    texts.set(name, JSON.stringify(value));
    t.same(decoderOf(endpoint)(texts, { user_id: 1 }).ignored, [name + at]);
  });
}
