import { openApiDocument } from '../../schemas/openapi/document.js';
import type { Json } from '../../schemas/openapi/json-schema.js';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Record<string, { schema: Json }> };
  readonly responses: Record<string, { readonly content?: Record<string, { schema: Json }> }>;
}

/** The type of an event's schema; undefined of what is none. */
function typeOf({ anyOf, properties }: Json): string | undefined {
  const [form] = (anyOf as Json[] | undefined) ?? [{ properties }];
  const { id, type } = (form?.properties ?? {}) as Record<string, { const?: string } | undefined>;
  return id && type?.const;
}

/** What the contract publishes with fields, by operation, event type or title: replies, bodies and shared objects. */
export function publishedSchemas(): Record<string, Json> {
  const { paths, components } = openApiDocument('https://chat.parley.dev') as {
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, Json> };
  };
  const found: Record<string, Json> = {};
  for (const item of Object.values(paths)) {
    for (const { operationId, requestBody, responses } of Object.values(item)) {
      const media = [requestBody, responses['200']].flatMap((one) =>
        Object.values(one?.content ?? {}),
      );
      found[operationId] = { allOf: media.map(({ schema }) => schema) };
    }
  }
  for (const [name, schema] of Object.entries(components.schemas)) {
    const type = typeOf(schema);
    const holder = type ?? name;
    const former = found[holder];
    found[holder] = former ? { allOf: [former, schema] } : schema;
  }
  return found;
}
