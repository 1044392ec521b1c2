import type { NarrowTerm } from '../../../../schemas/messages/narrow.js';
import { badNarrow } from '../../../errors.js';

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

/** Parses terms in either form; a leading `-` negates a legacy pair. @throws ApiError `BAD_NARROW` */
export function readNarrowTerms(narrow: readonly NarrowTerm[]): ParsedNarrowTerm[] {
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
