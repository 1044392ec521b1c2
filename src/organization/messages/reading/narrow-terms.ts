import { MAX_NARROW_USERS, type NarrowTerm } from '../../../../schemas/messages/narrow.js';
import { badNarrow } from '../../../errors/index.js';

/** The operators in their modern spelling (endpoints-messages.md#read-messages). */
type NarrowOperator =
  | 'channel'
  | 'channels'
  | 'topic'
  | 'sender'
  | 'dm'
  | 'dm-including'
  | 'is'
  | 'has'
  | 'in'
  | 'id'
  | 'near'
  | 'with'
  | 'mentions'
  | 'search';

/** The operand: an id or a text, or several of them. */
type NarrowOperand = string | number | readonly (string | number)[];

/** A term of a narrow in the modern spelling. */
export interface ParsedNarrowTerm {
  readonly operator: NarrowOperator;
  readonly operand: NarrowOperand;
  readonly negated: boolean;
}

/** All spellings of the operators (endpoints-messages.md#read-messages). */
const OPERATORS: ReadonlyMap<string, NarrowOperator> = new Map<string, NarrowOperator>([
  ['channel', 'channel'],
  ['stream', 'channel'],
  ['channels', 'channels'],
  ['streams', 'channels'],
  ['topic', 'topic'],
  ['subject', 'topic'],
  ['sender', 'sender'],
  ['from', 'sender'],
  ['dm', 'dm'],
  ['pm-with', 'dm'],
  ['pm_with', 'dm'],
  ['dm-including', 'dm-including'],
  ['dm_including', 'dm-including'],
  ['pm_with_including', 'dm-including'],
  ['group-pm-with', 'dm-including'],
  ['is', 'is'],
  ['has', 'has'],
  ['in', 'in'],
  ['id', 'id'],
  ['near', 'near'],
  ['with', 'with'],
  ['mentions', 'mentions'],
  ['search', 'search'],
]);

/**
 * Parses terms in either form; a leading `-` negates a legacy pair. Terms that only say again what others say are left
 * out: some cost as much as there are conversations.
 * @throws ApiError `BAD_NARROW`
 */
export function readNarrowTerms(narrow: readonly NarrowTerm[]): ParsedNarrowTerm[] {
  const terms = parsed(narrow);
  const users = terms.reduce((sum, term) => sum + namedBy(term), 0);
  if (users > MAX_NARROW_USERS) throw badNarrow('too many users');
  return withoutRepeated(terms);
}

function parsed(narrow: readonly NarrowTerm[]): ParsedNarrowTerm[] {
  return narrow.map((term) => {
    if (!Array.isArray(term)) {
      return {
        operator: operatorOf(term.operator),
        operand: term.operand,
        negated: term.negated ?? false,
      };
    }
    const [name, operand] = term;
    const negated = name.startsWith('-');
    return { operator: operatorOf(negated ? name.slice(1) : name), operand, negated };
  });
}

/** Operators of which several terms with the same operand say no more than one. */
const REPEATED: ReadonlySet<NarrowOperator> = new Set([
  'channel',
  'channels',
  'topic',
  'is',
  'has',
  'in',
]);

/** How many users a term names, at most. */
export function namedBy({ operator, operand }: ParsedNarrowTerm): number {
  if (operator !== 'dm' && operator !== 'dm-including') return 0;
  if (typeof operand === 'string') return operand.split(',').length;
  return typeof operand === 'number' ? 1 : operand.length;
}

function withoutRepeated(terms: readonly ParsedNarrowTerm[]): ParsedNarrowTerm[] {
  const kept = new Map<string, ParsedNarrowTerm>();
  const included: (string | number)[] = [];
  for (const [i, term] of terms.entries()) {
    const { operator, negated } = term;
    if (operator === 'dm-including' && !negated) {
      // Conversations that include some and others include all of them.
      included.push(...usersOperand(term));
      kept.set(operator, { operator, negated, operand: included });
    } else {
      const said = REPEATED.has(operator) ? `${operator} ${negated} ${textOperand(term)}` : `${i}`;
      if (!kept.has(said)) kept.set(said, term);
    }
  }
  return [...kept.values()];
}

function operatorOf(name: string): NarrowOperator {
  const operator = OPERATORS.get(name);
  if (!operator) throw badNarrow(`unknown operator ${name}`);
  return operator;
}

/** The operand as text, for operators that take a word. */
export function textOperand(term: ParsedNarrowTerm): string {
  return typeof term.operand === 'object' ? term.operand.join() : String(term.operand);
}

/** The operand as a message id. @throws ApiError `BAD_NARROW` */
export function idOperand(term: ParsedNarrowTerm): number {
  const text = textOperand(term);
  const id = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(id)) throw badNarrow('Invalid message ID');
  return id;
}

/** The operand as users by id or address: a list, one id, or addresses separated by commas. */
export function usersOperand(term: ParsedNarrowTerm): readonly (string | number)[] {
  const { operand } = term;
  if (typeof operand === 'number') return [operand];
  const list = typeof operand === 'string' ? operand.split(',') : operand;
  return list
    .map((entry) => (typeof entry === 'string' ? entry.trim() : entry))
    .filter((entry) => entry !== '')
    .map((entry) =>
      typeof entry === 'string' && /^\d{1,15}$/.test(entry) ? Number(entry) : entry,
    );
}
