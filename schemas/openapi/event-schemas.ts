import type { TSchema } from 'typebox';
import type { EndpointDescriptor } from '../endpoint.js';
import { ALL_EVENTS } from '../events.js';
import { GroupSettingChange } from '../groups/permissions.js';
import { updateRealm } from '../realm/realm.js';
import { updateSettings } from '../users/settings.js';
import { fieldExample, inWords } from './field-text.js';
import { exampleOf, published, type Json } from './json-schema.js';
import { levelOfEvent } from './levels.js';
import { parameterExample, parameterText } from './parameter-text.js';
import { ofValue } from './saying.js';

/** Its own name, or `realm_user` update becomes `RealmUserUpdateEvent`, with a number where there are several. */
function nameOfEvent(own: unknown, schema: Json, taken: ReadonlySet<string>): string {
  if (typeof own === 'string') return own;
  const [form = schema] = (schema.anyOf as Json[] | undefined) ?? [];
  const { type, op } = form.properties as Record<string, { const?: string } | undefined>;
  const words = [...(type?.const ?? '').split('_'), ...(op?.const ?? '').split('_'), 'event'];
  const base = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  return name;
}

/** An event on the wire: its body, and the id its queue gives it. */
function withId(schema: TSchema): Json {
  return identified(published(schema) as EventForm);
}

interface EventForm extends Json {
  readonly properties: Json;
  readonly required?: readonly string[];
  readonly anyOf?: readonly EventForm[];
}

function identified(body: EventForm): Json {
  if (body.anyOf) return { ...body, anyOf: body.anyOf.map(identified) };
  const properties = { ...body.properties } as Record<string, Json>;
  for (const [name, description] of Object.entries(EVENT_WORDS)) {
    if (properties[name]) properties[name] = { ...properties[name], description };
  }
  const { property, value } = properties;
  const [named] = property ? namesOf(property) : [];
  if (named !== undefined && value) {
    properties.value = settingInWords(String(properties.type?.const), named, value);
  }
  return {
    ...body,
    properties: { id: EVENT_ID, ...properties },
    required: ['id', ...(body.required ?? [])],
  };
}

const EVENT_ID: Json = {
  type: 'integer',
  description:
    'Place of the event in the order of its queue: ids rise, with gaps. The newest one seen is the cursor `last_event_id`.',
  examples: [2048],
};

/** What events have in common. */
const EVENT_WORDS: Readonly<Record<string, string>> = {
  type: 'Type of the event, by which clients subscribe to it.',
  op: 'What happened, where a type has several forms.',
};

/** Operations that change the property that an event reports. */
const SET_BY: Readonly<Record<string, EndpointDescriptor>> = {
  realm: updateRealm,
  realm_user_settings_defaults: updateSettings,
};

/** The properties an event can be about. */
function namesOf({ const: only, enum: several = [only] }: Json): (string | undefined)[] {
  return several as (string | undefined)[];
}

/** The value in an event about a setting has the meaning of the parameter that sets it. */
function settingInWords(type: string, property: string, value: Json): Json {
  const endpoint = SET_BY[type];
  const param = endpoint?.params[property];
  // Properties of a channel, of which several share a form.
  if (!endpoint || !param) {
    const example = fieldExample(['Channel'], property) ?? exampleOf(value);
    return { ...value, ...(example === undefined ? {} : { examples: [example] }) };
  }
  const text = parameterText(endpoint.operation, property, param);
  const description = text === undefined ? undefined : `New value. ${ofValue(text)}`;
  const isChange = param.schema === GroupSettingChange;
  const example = isChange ? exampleOf(value) : parameterExample(endpoint, property, param, value);
  return { ...value, description, examples: [example] };
}

/** Type of an event; of the first form where there are several, which have one. */
function typeOf({ anyOf, properties }: Json): string {
  const [form] = (anyOf as Json[] | undefined) ?? [{ properties }];
  return String((form!.properties as { type: { const?: string } }).type.const);
}

/** Op of an event; undefined where it has none, or several. */
function opOf({ properties }: Json): string | undefined {
  return (properties as { op?: { const?: string } } | undefined)?.op?.const;
}

/** The schemas of all events by their names, in words. */
export function* eventSchemas(): Generator<void, Record<string, Json>> {
  const schemas: Record<string, Json> = {};
  for (const one of ALL_EVENTS) {
    yield;
    const schema = withId(one);
    const own = (one as { readonly eventName?: unknown }).eventName;
    const name = nameOfEvent(own, schema, new Set(Object.keys(schemas)));
    const level = levelOfEvent(typeOf(schema), opOf(schema));
    schemas[name] = {
      ...inWords(schema, [typeOf(schema)]),
      ...(level === undefined ? {} : { 'x-feature-level': level }),
    };
  }
  return schemas;
}
