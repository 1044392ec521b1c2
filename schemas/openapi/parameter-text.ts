import type { EndpointDescriptor, Param } from '../endpoint.js';
import { ALL_ENDPOINTS } from '../endpoints.js';
import { fieldExample } from './field-text.js';
import { exampleOf, type Json } from './json-schema.js';
import { saying } from './saying.js';

/** What a parameter of an operation means; its descriptor wins. Undefined where nobody says. */
export function parameterText(operation: string, name: string, param: Param): string | undefined {
  const text = saying(operation, name);
  return param.description ?? (typeof text === 'object' ? text[0] : text);
}

/** Examples of all endpoints by parameter: one name nearly always means one thing. */
const SHARED: Readonly<Record<string, unknown>> = Object.assign(
  {},
  ...ALL_ENDPOINTS.map(({ example }) => example ?? {}),
) as Record<string, unknown>;

/**
 * A value of a parameter: that of the operation's example, its own, or what its schema and its name give. Undefined
 * where nothing does.
 */
export function parameterExample(
  { operation, example }: EndpointDescriptor,
  name: string,
  param: Param,
  schema: Json,
): unknown {
  const text = saying(operation, name);
  return (
    example?.[name] ??
    param.example ??
    (typeof text === 'object' ? text[1] : undefined) ??
    chosen(schema) ??
    SHARED[name] ??
    fieldExample([operation], name) ??
    exampleOf(schema)
  );
}

/** What a schema alone says of its values. */
function chosen(schema: Json): unknown {
  const { type, enum: choices, default: fallback } = schema;
  const isTelling = type === 'boolean' || choices !== undefined || Boolean(fallback);
  return isTelling ? exampleOf(schema) : undefined;
}
