import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { NarrowTerm } from '../../../../schemas/messages/narrow.js';
import { badNarrow } from '../../../errors/index.js';
import type { MessageAccess } from '../message-access.js';
import { ALL_IDS, contains } from '../../state/message-index/intervals.js';
import type { MessageIndex } from '../../state/message-index/message-index.js';
import type { Organization } from '../../state/organization.js';
import type { TopicEntry } from '../../state/message-index/posting-lists.js';
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
import { sizeOf, type Source, whole } from '../../state/message-index/merged-cursor.js';

/** What a search index is asked: all messages of the query that match are among its answers. */
export interface TextSearch {
  readonly clauses: readonly Clause[];
  /** The conversations, and the senders, that matching messages are of; undefined: any. */
  readonly recipients: Uint32Array | undefined;
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
    sources: () => [{ list: place.list, within: ALL_IDS }],
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

/** Where matching messages are looked for: see `MessageQuery`. */
interface CandidateLists {
  readonly own: () => readonly Source[];
  readonly ofEverybody: readonly Source[] | null;
}

const NO_LISTS: CandidateLists = { own: () => [], ofEverybody: null };

/**
 * The shortest of the lists that the terms offer; where these are of all people's messages, or there are none, also
 * everything received, which a viewer of many conversations pays for only where nearly all messages are for others.
 */
function shortest(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
  conditions: readonly NarrowCondition[],
): CandidateLists {
  const { index } = access.org.messages;
  const topic = terms.find((term) => term.operator === 'topic' && !term.negated);
  const isSmall = topic !== undefined || !access.hasManyConversations;
  const cheap = isSmall ? [] : offersOf(conditions.filter(({ isCostly }) => !isCostly));
  if (isSmall || !cheap.every(({ isOfAll }) => isOfAll)) {
    const offers = offersOf(conditions);
    const lists = offers.map(({ sources }) => sources);
    if (topic) {
      const recipients = conditions.find((one) => one.recipients)?.recipients?.();
      const places = recipients ?? access.possibleConversations();
      lists.push(topicSources(index, places, textOperand(topic)));
    } else if (offers.every(({ isOfAll }) => isOfAll)) lists.push(access.receivedSources());
    const own = leastOf(lists);
    return { own: () => own, ofEverybody: null };
  }
  const shared = cheap.map(({ sources }) => sources);
  let own: readonly Source[] | undefined;
  const makeOwn = (): readonly Source[] => {
    const costly = offersOf(conditions.filter(({ isCostly }) => isCostly));
    const lists = costly.map(({ sources }) => sources);
    return leastOf([...shared, ...(lists.length > 0 ? lists : [access.receivedSources()])]);
  };
  const ofEverybody = shared.length > 0 ? leastOf(shared) : [whole(index.columns.ids)];
  return { own: () => (own ??= makeOwn()), ofEverybody };
}

/** The lists that conditions offer, made now. */
function offersOf(
  conditions: readonly NarrowCondition[],
): { readonly sources: readonly Source[]; readonly isOfAll: boolean }[] {
  return conditions.flatMap(({ sources, isOfAll = false }) =>
    sources ? [{ sources: sources(), isOfAll }] : [],
  );
}

function leastOf(lists: readonly (readonly Source[])[]): readonly Source[] {
  return lists.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best));
}

function topicSources(index: MessageIndex, recipients: Iterable<number>, name: string): Source[] {
  const sources: Source[] = [];
  for (const recipientId of recipients) {
    const topic = index.topic(recipientId, storedTopic(name));
    if (topic) sources.push({ list: topic.list, within: ALL_IDS });
  }
  return sources;
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
  const places = conditions.flatMap(({ recipients }) => (recipients ? [recipients()] : []));
  const [smallest] = places.sort((a, b) => a.size - b.size);
  const isStarred = terms.some((term) => term.operator === 'is' && textOperand(term) === 'starred');
  // Stars may be on messages that were never received.
  const recipients = smallest ?? (isStarred ? undefined : access.possibleConversations());
  const sender = conditions.find((one) => one.sender !== undefined)?.sender;
  return {
    clauses,
    recipients: recipients && Uint32Array.from(recipients),
    senders: sender === undefined ? undefined : Uint32Array.of(sender),
  };
}

/** One query with all searched words, for highlighting. */
function joined(terms: readonly ParsedNarrowTerm[]): TextQuery | undefined {
  const searches = terms.filter(({ operator, negated }) => operator === 'search' && !negated);
  return searches.length === 0 ? undefined : new TextQuery(searches.map(textOperand).join(' '));
}
