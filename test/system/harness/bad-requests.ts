import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { getEvents } from '../../../schemas/queues/events-poll.js';
import { FORM, form, type Body, type RawRequest } from './client.js';
import { NEVER_GIVEN } from './endpoints.js';

/** A request to be sent as it is. */
export interface BadRequest extends RawRequest {
  /** What is bad about it. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

const BOUNDARY = 'parley-boundary';
/** What a parameter that takes less must refuse: 10 MB, of which a path takes the first thousand. */
const HUGE = Buffer.alloc(10_000_000, 'x');
const START_OF_HUGE = HUGE.toString('latin1', 0, 1000);

/** Texts that most parameters cannot take, whatever their type. */
const WRONG: Readonly<Record<string, string>> = {
  'an empty text': '',
  'a word': 'word',
  'a number': '12345',
  'a negative number': '-7',
  'a fraction': '1.5',
  'a number beyond all bounds': '9'.repeat(400),
  'a number in exponent form': '1e9',
  true: 'true',
  'a capital True': 'True',
  null: 'null',
  undefined: 'undefined',
  'an empty list': '[]',
  'a list of nonsense': '[null, {}, [[]], -1, 1.5, true, ""]',
  'an empty object': '{}',
  'an object of nonsense': '{"a":null,"__proto__":{"b":1},"constructor":[]}',
  'a list of such objects': '[{"name":null},{"stream_id":{}}]',
  'cut JSON': '[1, 2',
  'JSON with more behind it': '{"a":1} x',
  'deeply nested lists': '['.repeat(20_000),
  'a NUL': 'a\0b',
  'a NUL in JSON': '"a\\u0000b"',
  'half a surrogate pair': '"\\ud800"',
  'control characters': '\u0001\u007f\u202e',
  'a long text': 'x'.repeat(20_000),
  'a long list': `[${'1,'.repeat(20_000)}1]`,
};

function placed(endpoint: EndpointDescriptor, given: Record<string, string>): [string, Body] {
  const rest: Record<string, string> = { ...given };
  const path = endpoint.path.replace(/\{(\w+)\+?\}/g, (_whole, name: string) => {
    const value = rest[name] ?? 'missing';
    delete rest[name];
    return encodeURIComponent(value.slice(0, 1000));
  });
  return [`/api/v1${path}`, rest];
}

function texts(parameters: Body): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/** A request to an endpoint with these texts as parameters, in an urlencoded body. */
export function request(
  name: string,
  endpoint: EndpointDescriptor,
  parameters: Body,
  headers: Record<string, string>,
): BadRequest {
  const [path, rest] = placed(endpoint, texts(parameters));
  const { method } = endpoint;
  return { name, method, path, headers: { ...headers, ...FORM }, body: form(rest) };
}

/** Every parameter of an endpoint with everything it should not be. */
export function* badParameters(
  endpoint: EndpointDescriptor,
  valid: Body,
  headers: Record<string, string>,
): Generator<BadRequest> {
  const { operation } = endpoint;
  for (const parameter of Object.keys(endpoint.params)) {
    if (NEVER_GIVEN.has(parameter)) continue;
    // Absent, or null, it would be a poll that waits.
    const waits = operation === 'get-events' && parameter === 'dont_block';
    if (!waits) {
      const { [parameter]: _left, ...others } = valid;
      yield request(`${operation} without ${parameter}`, endpoint, others, headers);
    }
    for (const [what, value] of Object.entries(WRONG)) {
      const name = `${operation}: ${parameter} is ${what}`;
      yield request(name, endpoint, { ...valid, [parameter]: value }, headers);
    }
  }
}

/** One parameter of 10 MB. */
export function hugeParameter(
  endpoint: EndpointDescriptor,
  parameter: string,
  valid: Body,
  headers: Record<string, string>,
): BadRequest {
  const name = `${endpoint.operation}: ${parameter} is 10 MB`;
  const small = request(name, endpoint, { ...valid, [parameter]: START_OF_HUGE }, headers);
  const [before, after] = String(small.body).split(START_OF_HUGE);
  if (after === undefined) return small;
  // To encode the whole as a form text would take longer than all the rest.
  const rest = HUGE.subarray(START_OF_HUGE.length);
  const body = Buffer.concat([Buffer.from(before! + START_OF_HUGE), rest, Buffer.from(after)]);
  return { ...small, body };
}

/** Bodies that are no form, or not the one they say they are. */
export function* badBodies(
  endpoint: EndpointDescriptor,
  valid: Body,
  headers: Record<string, string>,
): Generator<BadRequest> {
  const [path] = placed(endpoint, texts(valid));
  const { method, operation } = endpoint;
  const multipart = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
  const bodies: [string, Record<string, string>, string | Buffer][] = [
    ['multipart without its end', multipart, `--${BOUNDARY}\r\nContent-Disposition: form-data; n`],
    ['multipart without a boundary', { 'Content-Type': 'multipart/form-data' }, 'x'],
    ['multipart that is none', multipart, 'a=b&c=d'],
    ['multipart without names', multipart, `--${BOUNDARY}\r\n\r\nvalue\r\n--${BOUNDARY}--\r\n`],
    ['bad percent signs', { ...FORM }, 'a=%zz&%=%&&==&type=%'],
    ['no UTF-8', { ...FORM }, Buffer.from([0x61, 0x3d, 0xff, 0xfe, 0xc0])],
    ['encoded no UTF-8', { ...FORM }, 'a=%ff%fe&content=%c0'],
    ['too many fields', { ...FORM }, Array.from({ length: 1500 }, (_, i) => `f${i}=1`).join('&')],
    ['JSON', { 'Content-Type': 'application/json' }, '{"type":"channel"'],
    ['an unknown type', { 'Content-Type': 'image/png' }, '\u0089PNG'],
    ['an empty type', { 'Content-Type': '' }, 'a=b'],
  ];
  for (const [what, type, body] of bodies) {
    if (operation === 'get-events') continue;
    yield { name: `${operation}: ${what}`, method, path, headers: { ...headers, ...type }, body };
  }
}

/** Credentials that are none. */
export function badCredentials(email: string, key: string): Readonly<Record<string, string>> {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  return {
    'bad Base64': 'Basic !!!not base64!!!',
    'no colon': basic('nobody'),
    'one part': 'Basic',
    'three parts': 'Basic a b',
    'another scheme': `Bearer ${key}`,
    'an empty header': '',
    'a short key': basic(`${email}:abc`),
    'a wrong key': basic(`${email}:${'a'.repeat(32)}`),
    "another user's address": basic(`nobody@example.org:${key}`),
    'a NUL': basic(`${email}\0:${key}`),
    'no UTF-8': `Basic ${Buffer.from([0xff, 0xfe, 0x3a, 0x61]).toString('base64')}`,
    'a very long key': basic(`${email}:${'a'.repeat(3000)}`),
  };
}

/** Requests from a generator of numbers: mostly to known paths, with anything in any place. */
export function randomRequest(
  random: () => number,
  endpoints: readonly EndpointDescriptor[],
  valid: Readonly<Record<string, Body>>,
  authorization: string,
  credentials: readonly string[],
): BadRequest {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const endpoint = pick(endpoints);
  const parameters: Body = { ...valid[endpoint.operation] };
  const names = Object.keys(endpoint.params).filter((name) => !NEVER_GIVEN.has(name));
  const values = Object.values(WRONG);
  const changes = 1 + Math.floor(random() * 4);
  for (let i = 0; i < changes; i++) {
    const name = random() < 0.8 && names.length > 0 ? pick(names) : pick(values).slice(0, 20);
    if (random() < 0.15) delete parameters[name];
    else parameters[name] = random() < 0.7 ? pick(values) : noise(random);
  }
  // Whatever comes to this path may be made a GET below, which would rightly wait for an event.
  const waits = endpoint.path === getEvents.path;
  if (waits) parameters.dont_block = true;
  const [known, rest] = placed(endpoint, texts(parameters));
  const path = random() < 0.9 ? known : `${known}${pick(['/', '/x', '%00', '//', '/..', '%'])}`;
  const method =
    random() < 0.9 ? endpoint.method : pick(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);
  const headers = { Authorization: random() < 0.95 ? authorization : pick(credentials) };
  const name = `${endpoint.operation} at random`;
  if (random() < 0.4) {
    const query = form(rest).slice(0, 3000);
    const cut = waits && !query.includes('dont_block=true');
    return { name, method, path: `${path}?${cut ? 'dont_block=true' : query}`, headers };
  }
  if (random() < 0.7) {
    return { name, method, path, headers: { ...headers, ...FORM }, body: form(rest) };
  }
  const type = { 'Content-Type': `multipart/form-data;boundary=${BOUNDARY}` };
  return { name, method, path, headers: { ...headers, ...type }, body: multipart(rest) };
}

function multipart(parameters: Body): string {
  const parts = Object.entries(texts(parameters)).map(
    ([name, value]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${encodeURIComponent(name)}"\r\n\r\n${value}\r\n`,
  );
  return `${parts.join('')}--${BOUNDARY}--\r\n`;
}

/** Bytes of no meaning, as a text. */
function noise(random: () => number): string {
  const length = Math.floor(random() * 60);
  return Array.from({ length }, () =>
    String.fromCodePoint(Math.floor(random() * (random() < 0.9 ? 0x7f : 0xd000)) + 1),
  ).join('');
}
