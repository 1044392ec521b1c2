import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { NarrowTerm } from '../../../../schemas/messages/narrow.js';
import { badNarrow } from '../../../errors/index.js';
import type { MessageAccess } from '../message-access.js';
import { contains } from '../../state/message-index/intervals.js';
import type { Organization } from '../../state/organization.js';
import type { TopicEntry } from '../../state/message-index/posting-lists.js';
import { NO_LISTS, shortest } from './candidate-lists.js';
import { NarrowConditions, type NarrowCondition } from './narrow-conditions.js';
import {
  idOperand,
  namedBy,
  readNarrowTerms,
  textOperand,
  type ParsedNarrowTerm,
} from './narrow-terms.js';
import { withCharactersOfNames } from '../../../services/text/emoji.js';
import { storedTopic } from '../../../services/text/stored-text.js';
import { messageWords, type Clause } from '../../../services/search/terms.js';
import { foldedWords } from '../../../services/search/words.js';
import { MAX_WORDS, TextQuery } from './search.js';
import type { Source } from '../../state/message-index/merged-cursor.js';

/** What a search index is asked: all messages of the query that match are among its answers. */
export interface TextSearch {
  readonly clauses: readonly Clause[];
  /** The conversations, and the senders, that matching messages are of; undefined: any. */
  readonly recipients: Uint32Array | undefined;
  /** Where these are more than a few: as `recipients`, made when they are asked for. */
  readonly manyRecipients?: () => Uint32Array;
  readonly senders: Uint32Array | undefined;
}

/** A narrow compiled for one viewer. */
export interface MessageQuery {
  /** Lists that contain every matching message: made where what is tried first does not do. */
  readonly sources: () => readonly Source[];
  /**
   * Lists of everybody's messages that contain every matching message, to be tried first; null where the narrow or the
   * few conversations of the viewer offer shorter ones.
   */
  readonly ofEverybody: readonly Source[] | null;
  /** How many messages may be tested between two checks of the clock. */
  readonly testedAtOnce: number;
  /** Tests everything that the index can decide, including access. */
  matches(id: number): boolean;
  /** What is searched for, where the document must be tested, too. */
  readonly text: TextSearch | null;
  /** Tests what only the document can decide. */
  matchesText(message: MessageDocument): boolean;
  /** The searched words, for highlighting. */
  readonly search: TextQuery | undefined;
}

/** Messages that are tested between two checks of the clock, for a narrow that names nobody. */
const TESTED_AT_ONCE = 256;

/** Operands of `is` that test the viewer's own flags, which only received messages have. */
const PERSONAL: ReadonlySet<string> = new Set(['starred', 'unread', 'mentioned', 'alerted']);

const CHANNEL_AND_DIRECT = 'No message can be both a channel message and direct message';

/** Operators that select a conversation; `with` replaces all of them. */
const PLACES: ReadonlySet<string> = new Set(['channel', 'topic', 'dm']);

/** Operators that the index does not decide; among them only `search` restricts and can be negated. */
const NOT_INDEXED: ReadonlySet<string> = new Set(['near', 'with', 'search']);

/**
 * Compiles a narrow (endpoints-messages.md#read-messages). The shortest list of candidates is scanned, and
 * all other terms are tested on each candidate.
 * @throws ApiError `BAD_NARROW`
 */
export function compileNarrow(access: MessageAccess, narrow: readonly NarrowTerm[]): MessageQuery {
  const { index } = access.org.messages;
  const terms = readNarrowTerms(narrow).map((term) => withEmoji(access.org, term));
  refuseChannelAndDirect(terms);
  const place = conversationOf(access, terms);
  const kept = place ? terms.filter((term) => !PLACES.has(term.operator) || term.negated) : terms;
  const conditions = new NarrowConditions(access);
  const compiled = kept
    .filter(({ operator }) => !NOT_INDEXED.has(operator))
    .map((term) => ({ term, condition: conditions.of(term) }));
  const positive = compiled.filter(({ term }) => !term.negated).map(({ condition }) => condition);
  if (place) positive.push(inTopic(place));
  const negative = compiled.filter(({ term }) => term.negated).map(({ condition }) => condition);
  const inScope = scopeOf(access, kept, place !== undefined);
  const texts = textQueries(kept);
  const isVain = texts.some(({ query, negated }) => query.isVain && !negated);
  const lists = isVain ? NO_LISTS : shortest(access, kept, positive);
  return {
    ofEverybody: lists.ofEverybody,
    sources: lists.own,
    testedAtOnce: testedAtOnce(kept),
    matches(id) {
      const row = index.columns.find(id);
      if (row < 0) return false;
      const topic = index.topicAt(row);
      if (!inScope(id, topic)) return false;
      if (!positive.every((condition) => condition.test(id, row, topic))) return false;
      return negative.every((condition) => !condition.test(id, row, topic));
    },
    text: texts.length > 0 ? textSearch(access, kept, positive, texts) : null,
    matchesText(message) {
      const words = messageWords(message);
      return texts.every(({ query, negated }) => query.matchesWords(words) !== negated);
    },
    search: joined(kept),
  };
}

/** As many messages as take some tenths of a millisecond, whatever is asked of each. */
function testedAtOnce(terms: readonly ParsedNarrowTerm[]): number {
  const users = terms.reduce((sum, term) => sum + namedBy(term), 0);
  return Math.ceil(TESTED_AT_ONCE / (1 + users / 10));
}

function refuseChannelAndDirect(terms: readonly ParsedNarrowTerm[]): void {
  const positive = terms.filter((term) => !term.negated);
  const channel = positive.some(
    ({ operator }) => operator === 'channel' || operator === 'channels',
  );
  const direct = positive.some((term) => {
    if (term.operator === 'dm' || term.operator === 'dm-including') return true;
    return term.operator === 'is' && ['dm', 'private'].includes(textOperand(term));
  });
  if (channel && direct) throw badNarrow(CHANNEL_AND_DIRECT);
}

/** The topic or conversation of a `with` term; undefined when the viewer may not see it. */
function conversationOf(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
): TopicEntry | undefined {
  const term = terms.find(({ operator }) => operator === 'with');
  if (!term) return undefined;
  const id = idOperand(term);
  return access.canSee(id) ? access.org.messages.index.topicOf(id) : undefined;
}

/** A search as messages are searched: a Unicode emoji by its characters. */
function withEmoji(org: Organization, term: ParsedNarrowTerm): ParsedNarrowTerm {
  if (term.operator !== 'search') return term;
  const isCustom = (name: string) => org.customEmoji.active(name) !== undefined;
  return { ...term, operand: withCharactersOfNames(textOperand(term), isCustom) };
}

function inTopic(place: TopicEntry): NarrowCondition {
  return {
    topic: place,
    recipients: () => new Set([place.recipientId]),
    test: (_id, _row, topic) => topic === place,
  };
}

/**
 * The messages in scope: with a channel its whole visible history, otherwise only received messages. Stars
 * may be on messages that were never received.
 */
function scopeOf(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
  hasPlace: boolean,
): (id: number, topic: TopicEntry) => boolean {
  const personal = terms.some(
    (term) => term.operator === 'is' && !term.negated && PERSONAL.has(textOperand(term)),
  );
  const names = terms.some(
    ({ operator, negated }) => !negated && (operator === 'channel' || operator === 'channels'),
  );
  if ((names || hasPlace) && !personal) {
    return (id, topic) => contains(access.visible(topic.recipientId), id);
  }
  const starred = terms.some(
    (term) => term.operator === 'is' && !term.negated && textOperand(term) === 'starred',
  );
  return (id, topic) => {
    const ids = starred ? access.visible(topic.recipientId) : access.received(topic.recipientId);
    return contains(ids, id);
  };
}

function textQueries(terms: readonly ParsedNarrowTerm[]): { query: TextQuery; negated: boolean }[] {
  const queries = terms
    .filter(({ operator }) => operator === 'search')
    .map((term) => ({ query: new TextQuery(textOperand(term)), negated: term.negated }));
  const words = queries.reduce((sum, { query }) => sum + query.size, 0);
  if (words > MAX_WORDS) throw badNarrow('too many search words');
  return queries;
}

/**
 * The place that a search is restricted to is for the index to leave out most of what the viewer would not see;
 * `matches` decides.
 */
function textSearch(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
  conditions: readonly NarrowCondition[],
  texts: readonly { query: TextQuery; negated: boolean }[],
): TextSearch {
  const clauses: Clause[] = [];
  // All messages lack what no message has.
  for (const { query, negated } of texts)
    if (!query.isVain) clauses.push({ terms: query.terms, negated });
  for (const term of terms) {
    if (term.operator !== 'topic' || term.negated) continue;
    const words = foldedWords(storedTopic(textOperand(term)));
    if (words.length > 0) clauses.push({ terms: [{ words, isPrefix: false }], negated: false });
  }
  const few = conditions.filter(({ recipients, isCostly }) => recipients && !isCostly);
  const [smallest] = few.map((one) => one.recipients!()).sort((a, b) => a.size - b.size);
  const many = conditions.find(({ recipients, isCostly }) => recipients && isCostly)?.recipients;
  const isStarred = terms.some((term) => term.operator === 'is' && textOperand(term) === 'starred');
  // Stars may be on messages that were never received.
  const isAnywhere = isStarred && !many;
  const own = (): Uint32Array => Uint32Array.from(many?.() ?? access.possibleConversations());
  const isMany = many !== undefined || access.hasManyConversations;
  const sender = conditions.find((one) => one.sender !== undefined)?.sender;
  return {
    clauses,
    recipients: smallest ? Uint32Array.from(smallest) : isAnywhere || isMany ? undefined : own(),
    ...(smallest || isAnywhere || !isMany ? {} : { manyRecipients: own }),
    senders: sender === undefined ? undefined : Uint32Array.of(sender),
  };
}

/** One query with all searched words, for highlighting. */
function joined(terms: readonly ParsedNarrowTerm[]): TextQuery | undefined {
  const searches = terms.filter(({ operator, negated }) => operator === 'search' && !negated);
  return searches.length === 0 ? undefined : new TextQuery(searches.map(textOperand).join(' '));
}
