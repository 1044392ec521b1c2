import type { Static, TLiteral, TSchema } from 'typebox';
import { DECLARATIONS, type AreaFile } from './declarations.js';
import type { Frozen } from './endpoint.js';
import { isEvents } from './event.js';

/** The body of every event a queue can get, without `id`, ordered by type. */
export const ALL_EVENTS: readonly TSchema[] = DECLARATIONS.filter(isEvents).flat().sort(byType);

/** Of what the files of the areas export, the schemas in lists whose `type` is one name: those of events. */
type ExportsOf<A> = A extends unknown ? A[keyof A] : never;
type ElementsOf<X> = X extends readonly (infer E)[] ? E : never;
type BodyOf<S> = S extends TSchema & { properties: { type: TLiteral<string> } } ? Static<S> : never;

/** The body of an event, without `id`. */
export type EventBody = Frozen<BodyOf<ElementsOf<ExportsOf<AreaFile>>>>;

/** Names of events. */
export type EventType = EventBody['type'];

/** The bodies of one type. */
export type EventBodyOf<T extends EventType> = Extract<EventBody, { readonly type: T }>;

/** An event's fields beside its type. */
export type EventFields<T extends EventType> = FieldsOf<EventBodyOf<T>>;
type FieldsOf<B> = B extends unknown ? Omit<B, 'type'> : never;

/** Types of all events. */
export const EVENT_TYPES: ReadonlySet<string> = new Set(ALL_EVENTS.flatMap(typesOf));

/** Forms of one event have the same type. */
function typesOf(schema: TSchema): string[] {
  interface Form {
    readonly properties: { readonly type: { readonly const: string } };
  }
  const { anyOf, ...form } = schema as Form & { readonly anyOf?: readonly Form[] };
  return (anyOf ?? [form]).map(({ properties }) => properties.type.const);
}

/** Forms of one type keep their order. */
function byType(a: TSchema, b: TSchema): number {
  const [x, y] = [typesOf(a)[0]!, typesOf(b)[0]!];
  if (x === y) return 0;
  return x < y ? -1 : 1;
}
