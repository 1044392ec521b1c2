import { createConfig, lintFromString } from '@redocly/openapi-core';
import t from 'tap';
import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import { ALL_EVENTS } from '../../../schemas/events.js';
import { CHANGES } from '../../../schemas/openapi/changes.js';
import { openApiDocument } from '../../../schemas/openapi/document.js';
import { ERROR_CODES } from '../../../schemas/openapi/error-codes.js';
import { published, type Json } from '../../../schemas/openapi/json-schema.js';
import { textsMissing } from '../omissions.js';

const document = openApiDocument('https://chat.parley.dev');
const operations = Object.values(document.paths as Record<string, Json>).flatMap((item) =>
  Object.values(item as Record<string, Json>),
);

void t.test('a linter has nothing to say', { skip: textsMissing() }, async (t) => {
  const config = await createConfig({
    extends: ['recommended'],
    // The contract has paths such as /invites/multiuse/{id} beside /invites/{id}/resend.
    rules: { 'no-ambiguous-paths': 'off' },
  });
  const source = JSON.stringify(document);
  const problems = await lintFromString({ source, config, absoluteRef: 'openapi.json' });
  t.strictSame(
    problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    [],
  );
});

void t.test('generators of clients find the items of every list', async (t) => {
  const without: string[] = [];
  let lists = 0;
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== 'object' || value === null) return;
    const { type, items } = value as { type?: unknown; items?: unknown };
    if (type === 'array') {
      lists++;
      if (typeof items !== 'object' || Array.isArray(items)) without.push(path);
    }
    for (const [name, inner] of Object.entries(value)) visit(inner, `${path}/${name}`);
  };
  visit(document, '');
  t.ok(lists > 400, `${lists} lists`);
  t.strictSame(without, []);
});

// [c:endpoints-published]
void t.test(
  'every endpoint is published once, with examples, errors and who may call',
  async (t) => {
    const names = operations.map((one) => one.operationId);
    t.equal(new Set(names).size, names.length);
    const missing = ALL_ENDPOINTS.map((one) => one.operation).filter((one) => !names.includes(one));
    t.strictSame(
      missing.sort(),
      ['get-user-by-email', 'open-event-socket', 'open-event-stream', 'update-user-by-email'],
      'but for those that share path and method with another',
    );
    for (const operation of operations) {
      const responses = operation.responses as Record<string, { content?: Json }>;
      t.ok(responses['200']?.content, `${String(operation.operationId)}: success`);
      const refused = responses['400']!.content!['application/json'] as { examples: Json };
      t.ok(refused.examples.BAD_REQUEST, 'with an example error');
    }
  },
);

void t.test('codes of endpoints are in the catalogue', async (t) => {
  const unknown = ALL_ENDPOINTS.flatMap((one) => one.errors).filter((code) => !ERROR_CODES[code]);
  t.strictSame([...new Set(unknown)], []);
});

void t.test('events of endpoints are published', async (t) => {
  const types = new Set(
    ALL_EVENTS.flatMap((schema) => {
      const { anyOf, properties } = published(schema) as { anyOf?: Json[]; properties?: Json };
      const forms = anyOf ?? [{ properties }];
      return forms.map((form) => (form.properties as { type: { const: string } }).type.const);
    }),
  );
  const unknown = ALL_ENDPOINTS.flatMap((one) => one.events).filter((type) => !types.has(type));
  t.strictSame([...new Set(unknown)], []);
});

// [c:levels-at-operations]
void t.test(
  'every change of the contract’s table stands at an operation, or concerns all',
  async (t) => {
    const names = ALL_ENDPOINTS.map((one) => one.operation);
    for (const { levels, operations: concerned } of CHANGES) {
      t.strictSame(
        concerned.filter((name) => !names.includes(name)),
        [],
        levels,
      );
    }
    const described = operations.find((one) => one.operationId === 'add-realm-domain')!;
    t.match(described.description, /\*\*Feature level 143\*\*: Restricted to owners\./);
  },
);

void t.test(
  'what a handler checks in words of its own is told like what the decoder checks',
  async (t) => {
    const field = (operation: string, name: string): Json => {
      const found = operations.find((one) => one.operationId === operation)!;
      const { content } = found.requestBody as { content: Record<string, { schema: Json }> };
      const { schema } = content['application/x-www-form-urlencoded']!;
      return (schema.properties as Record<string, Json>)[name]!;
    };
    t.strictSame(field('send-message', 'type').enum, ['direct', 'private', 'stream', 'channel']);
    t.strictSame(field('update-message-flags', 'flag').enum, ['read', 'starred', 'collapsed']);
    t.match(field('create-channel', 'name'), { minLength: 1, maxLength: 60 });
    t.match(field('update-settings', 'full_name'), { minLength: 2, maxLength: 100 });
    t.equal(
      field('send-message', 'content').maxLength,
      1_048_576,
      'a longer text is cut, so no limit is told',
    );
    t.notMatch(JSON.stringify(document), /"told"/);
  },
);
