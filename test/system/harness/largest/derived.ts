import type { EndpointDescriptor } from '../../../../schemas/endpoint.js';
import { exampleCall } from '../example-call.js';
import type { LargestCall } from './call.js';
import type { World } from './world.js';

interface TextSchema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly told?: { readonly maxLength?: number; readonly enum?: unknown };
  readonly anyOf?: readonly TextSchema[];
}

/** Longer texts are a parameter's bound, which a handler cuts or refuses with words of its own. */
const LONGEST = 10_000;

/** The longest text that a schema admits and a handler takes; null where it is of another kind. */
function longest(schema: TextSchema): string | null {
  const text = schema.anyOf?.find(({ type }) => type === 'string') ?? schema;
  if (text.type !== 'string' || text.maxLength === undefined || text.told?.enum) return null;
  return 'x'.repeat(Math.min(LONGEST, text.told?.maxLength ?? text.maxLength));
}

/**
 * The largest request of an endpoint without a row: its example, about the large channel and its messages, with every
 * plain text as long as it may be.
 */
export function derivedCall(
  endpoint: EndpointDescriptor,
  { owner, everybody, messages }: World,
): LargestCall {
  const { path, params } = endpoint;
  const call = exampleCall(endpoint, {
    userId: owner.userId,
    streamId: everybody,
    messageId: messages[0]!,
    queueId: 'none',
  });
  const texts = Object.entries(params).flatMap(([name, { schema }]) => {
    // What is in the path names something that is there.
    if (!(name in call) || path.includes(`{${name}`)) return [];
    const text = longest(schema);
    return text === null ? [] : [[name, text] as const];
  });
  return { params: { ...call, ...Object.fromEntries(texts) } };
}
