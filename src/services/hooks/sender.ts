import { AnomalousPayload } from './payload.js';
import type { Echoed, HookMessage, Integration } from './integration.js';
import type { SignatureCheck } from './signatures.js';
import { plainTemplate, textTemplate, type Scope, type Template, type Words } from './template.js';
import { listed } from './wording.js';

/** What makes a message of one kind of events, in [templates](template.ts). */
export interface Row {
  /** What must hold: `path`, `!path`, `path=one|other`, `path!=word`, several of them joined by ` & `. */
  readonly when?: string;
  /** In place of the sender's own. */
  readonly topic?: string;
  readonly text: string;
  /** A list of the payload with the line for each of its entries, told below the text. */
  readonly each?: readonly [path: string, line: string];
}

/** A service that posts events, as a table. */
export interface SenderTable {
  readonly name: string;
  /** Names of older addresses. */
  readonly otherNames?: readonly string[];
  readonly displayName: string;
  /** Where the service documents what it sends. */
  readonly docs: string;
  /** Kind of the event; the empty text where there are no kinds. */
  readonly event: string;
  readonly topic: string;
  /**
   * Rows by kind, or by several of them behind commas. Of several rows the first whose condition holds makes the message;
   * where none does, people need no message.
   */
  readonly events: Readonly<Record<string, string | Row | readonly Row[]>>;
  /** Kinds of which nobody needs a message. */
  readonly quiet?: readonly string[];
  readonly words?: Words;
  readonly signature?: SignatureCheck;
  /** Where the service puts a word that it wants back, before it sends events. */
  readonly challenge?: string;
  readonly echoed?: Echoed;
}

/** What a table says, for the server. @throws Error for a malformed template, when the server starts */
export function sender(table: SenderTable): Integration {
  const { name, otherNames, displayName, docs, words, quiet = [], signature, challenge } = table;
  const { echoed } = table;
  const eventOf = plainTemplate(table.event, words);
  const header = /^\{#([a-z0-9-]+)\}$/.exec(table.event)?.[1];
  const rows = new Map<string, readonly MessageRow[]>();
  for (const [kinds, given] of Object.entries(table.events)) {
    const compiled = rowsOf(given).map((row) => messageRow(row, table));
    for (const kind of kinds.split(', ')) rows.set(kind, compiled);
  }
  return {
    name,
    ...(otherNames ? { otherNames } : {}),
    displayName,
    docs,
    quiet,
    events: table.event === '' ? null : [...rows.keys()],
    ...(header === undefined ? {} : { eventHeader: header }),
    ...(signature ? { signature } : {}),
    ...(echoed ? { echoed } : {}),
    ...(challenge === undefined ? {} : { challenge: challenge.split('.') }),
    eventOf: (request) => {
      const event = eventOf({ event: '', ...request });
      if (event === '' && table.event !== '') throw new AnomalousPayload();
      return event;
    },
    message: (event, payload, header = noHeader) => {
      const scope = { event, header, payload };
      return (
        rows
          .get(event)
          ?.find(({ holds }) => holds(scope))
          ?.message(scope) ?? null
      );
    },
  };
}

function noHeader(): string {
  return '';
}

interface MessageRow {
  readonly holds: (scope: Scope) => boolean;
  readonly message: (scope: Scope) => HookMessage;
}

function rowsOf(given: string | Row | readonly Row[]): readonly Row[] {
  if (typeof given === 'string') return [{ text: given }];
  return 'text' in given ? [given] : given;
}

function messageRow(row: Row, table: SenderTable): MessageRow {
  const topic = plainTemplate(row.topic ?? table.topic, table.words);
  const text = textTemplate(row.text, table.words);
  const list = row.each ? listTemplate(row.each, table.words) : () => '';
  return {
    holds: condition(row.when),
    message: (scope) => ({ topic: topic(scope), content: (text(scope) + list(scope)).trim() }),
  };
}

function listTemplate([path, line]: readonly [string, string], words?: Words): Template {
  const names = path.split('.');
  const template = textTemplate(line, words);
  return (scope) =>
    listed(scope.payload.get(...names).list, (payload) => template({ ...scope, payload }));
}

function condition(when = ''): MessageRow['holds'] {
  const all = when === '' ? [] : when.split(' & ').map(simpleCondition);
  return (scope) => all.every((one) => one(scope));
}

function simpleCondition(when: string): MessageRow['holds'] {
  const [, not, path = '', isNot, words] = /^(!?)([\w.-]+)(?:(!?)=(.*))?$/.exec(when) ?? [];
  const names = path.split('.');
  if (words === undefined) return ({ payload }) => payload.get(...names).isThere !== (not === '!');
  const known = words.split('|');
  return ({ payload }) => known.includes(payload.get(...names).word) !== (isNot === '!');
}
