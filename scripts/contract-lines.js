/*
 * The wire contract in lines, without its prose: each operation with its parameters, each event, each code, each limit;
 * and what the store keeps. A change of what clients send and get, and of what older software finds in the store, is a
 * change of these lines, which a reviewer sees. scripts/client-types.js writes them; the client's types hold the shapes
 * of replies and events, of which a line has only a fingerprint.
 */
import { createHash } from 'node:crypto';

export const LINES_FILE = 'test/schemas/contract-lines.txt';

/** What people read, and what only the documentation uses. */
const PROSE = new Set([
  'description',
  'example',
  'examples',
  'externalDocs',
  'note',
  'summary',
  'title',
]);
const FINGERPRINT_LETTERS = 12;

/**
 * @param {object} contract
 * @param {readonly object[]} contract.endpoints descriptors
 * @param {readonly object[]} contract.events schemas
 * @param {Readonly<Record<string, { status: number, fields?: object }>>} contract.codes
 * @param {Readonly<Record<string, unknown>>} contract.limits by their names
 * @param {readonly { collection: string, document: object, apart: boolean }[]} contract.collections
 * @returns {string} the text of the file
 */
export function contractLines({ endpoints, events, codes, limits, collections }) {
  const ofEndpoints = [...endpoints].sort(byOperation).map(({ operation, params, ...rest }) => {
    const { response, ...own } = rest;
    const lines = Object.entries(params).map(([name, param]) => {
      const { schema, presence, wire, ...how } = param;
      return `  ${name}: ${presence} ${wire} ${told(schema)} ${told(how)}`.replace(/ \{\}$/, '');
    });
    return [`${operation} ${told(own)}`, ...lines, `  reply ${fingerprint(response)}`].join('\n');
  });
  const ofEvents = events.map((event) => `${event.$id ?? typeOf(event)} ${fingerprint(event)}`);
  const ofCodes = Object.entries(codes).map(([code, { status, fields = {} }]) =>
    [code, status, ...Object.keys(fields)].join(' '),
  );
  const ofLimits = Object.entries(limits).map(([name, value]) => `${name} ${told(value)}`);
  const ofStore = collections.map(
    ({ collection, document, apart }) =>
      `stored ${collection}${apart ? ' apart' : ''} ${fingerprint(document)}`,
  );
  const sorted = [ofEvents, ofCodes, ofLimits, ofStore].flatMap((lines) => lines.sort());
  return `${[...ofEndpoints, ...sorted].join('\n')}\n`;
}

function byOperation(a, b) {
  return a.operation < b.operation ? -1 : 1;
}

function typeOf(event) {
  const { type, op } = (event.anyOf?.[0] ?? event).properties;
  return [type?.const, op?.const].filter(Boolean).join(' ');
}

/** JSON without prose and empty lists, its members in the order of the alphabet. */
function told(value) {
  return JSON.stringify(value, (key, one) => {
    if (PROSE.has(key) && !isSchema(one)) return undefined;
    if (key === 'nullMeansAbsent') return one || undefined;
    if (Array.isArray(one)) return one.length === 0 ? undefined : one;
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** A field of the contract may have the name of prose: its value is a schema. */
function isSchema(value) {
  return typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value);
}

function fingerprint(schema) {
  return createHash('sha256').update(told(schema)).digest('hex').slice(0, FINGERPRINT_LETTERS);
}
