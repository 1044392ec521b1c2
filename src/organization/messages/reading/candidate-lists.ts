import { storedTopic } from '../../../services/text/stored-text.js';
import type { TopicEntry } from '../../state/message-index/posting-lists.js';
import { MadeSource, sizeOf, whole, type Source } from '../../state/message-index/merged-cursor.js';
import type { MessageAccess } from '../message-access.js';
import type { NarrowCondition } from './narrow-conditions.js';
import { textOperand, type ParsedNarrowTerm } from './narrow-terms.js';

/** Where matching messages are looked for: see `MessageQuery`. */
export interface CandidateLists {
  readonly own: () => readonly Source[];
  readonly ofEverybody: readonly Source[] | null;
}

export const NO_LISTS: CandidateLists = { own: () => [], ofEverybody: null };

/**
 * The shortest of the lists that the terms offer; where these are of all people's messages, or there are none, also
 * everything received, which a viewer of many conversations pays for only where nearly all messages are for others.
 */
export function shortest(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
  conditions: readonly NarrowCondition[],
): CandidateLists {
  const { index } = access.org.messages;
  const place = placeOf(conditions);
  const topics = topicsOf(access, terms, conditions, place);
  const isSmall = topics !== undefined || !access.hasManyConversations;
  const isCheap = (one: NarrowCondition): boolean =>
    one.isCostly !== true || (place !== undefined && one.sourcesIn !== undefined);
  const cheap = isSmall ? [] : offersOf(conditions.filter(isCheap), place);
  if (isSmall || !cheap.every(({ isOfAll }) => isOfAll)) {
    const own = isSmall ? [] : leastOf(cheap.map(({ sources }) => sources));
    // To make the others costs about as much as a look at a message for each conversation.
    if (!isSmall && sizeOf(own) <= access.conversationCount) return exactly(own);
    const offers = offersOf(conditions, place);
    const lists = offers.map(({ sources }) => sources);
    if (topics) lists.push(topicSources(topics, conditions));
    else if (offers.every(({ isOfAll }) => isOfAll)) lists.push(access.receivedSources());
    return exactly(leastOf(lists));
  }
  const shared = cheap.map(({ sources }) => sources);
  let own: readonly Source[] | undefined;
  const makeOwn = (): readonly Source[] => {
    const costly = offersOf(
      conditions.filter((one) => !isCheap(one)),
      place,
    );
    const lists = costly.map(({ sources }) => sources);
    return leastOf([...shared, ...(lists.length > 0 ? lists : [access.receivedSources()])]);
  };
  const ofEverybody = shared.length > 0 ? leastOf(shared) : [whole(index.columns.ids)];
  return { own: () => (own ??= makeOwn()), ofEverybody };
}

function exactly(own: readonly Source[]): CandidateLists {
  return { own: () => own, ofEverybody: null };
}

/** The few conversations that a narrow restricts to; undefined where there is no such restriction. */
function placeOf(conditions: readonly NarrowCondition[]): ReadonlySet<number> | undefined {
  return conditions.find(({ recipients, isCostly }) => recipients && !isCostly)?.recipients?.();
}

/** The lists that conditions offer, made now; those that are limited to the place come first. */
function offersOf(
  conditions: readonly NarrowCondition[],
  place: ReadonlySet<number> | undefined,
): { readonly sources: readonly Source[]; readonly isOfAll: boolean }[] {
  const limited = conditions.flatMap(({ sourcesIn }) =>
    place && sourcesIn ? [{ sources: sourcesIn(place), isOfAll: false }] : [],
  );
  const others = conditions.flatMap(({ sources, sourcesIn, isOfAll = false }) =>
    !sources || (place && sourcesIn) ? [] : [{ sources: sources(), isOfAll }],
  );
  return [...limited, ...others];
}

/** The first of the shortest lists. */
function leastOf(lists: readonly (readonly Source[])[]): readonly Source[] {
  return lists.reduce((best, one) => (sizeOf(one) < sizeOf(best) ? one : best));
}

/** The topics that a narrow restricts to; undefined where it names none. */
function topicsOf(
  access: MessageAccess,
  terms: readonly ParsedNarrowTerm[],
  conditions: readonly NarrowCondition[],
  place: ReadonlySet<number> | undefined,
): readonly TopicEntry[] | undefined {
  const known = conditions.find(({ topic }) => topic)?.topic;
  if (known) return [known];
  const term = terms.find((one) => one.operator === 'topic' && !one.negated);
  if (!term) return undefined;
  const { index } = access.org.messages;
  const name = storedTopic(textOperand(term));
  const topics: TopicEntry[] = [];
  const recipients = place ?? conditions.find((one) => one.recipients)?.recipients?.();
  for (const recipientId of recipients ?? access.possibleConversations()) {
    const topic = index.topic(recipientId, name);
    if (topic) topics.push(topic);
  }
  return topics;
}

/** The messages of topics, as far as a condition says what of their conversations can satisfy it. */
function topicSources(
  topics: readonly TopicEntry[],
  conditions: readonly NarrowCondition[],
): Source[] {
  const within = conditions.find((one) => one.within)?.within;
  return topics.map(({ list, recipientId }) =>
    within ? new MadeSource(list, () => within(recipientId)) : whole(list),
  );
}
