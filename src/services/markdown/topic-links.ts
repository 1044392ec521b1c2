import type { MarkdownIt } from 'markdown-it';
import { LinkifierBudget } from '../linkifiers/budget.js';

/** A link shown beside a topic (`topic_links` of a message). */
export interface TopicLink {
  text: string;
  url: string;
}

/** Finds the links that one of the organization's linkifiers makes of a text. */
export interface TopicLinkifier {
  linksIn(text: string, budget: LinkifierBudget): Iterable<TopicLink & { index: number }>;
}

/** Longest topic that is looked at, in UTF-16 code units; longer ones have no links. */
const MAX_TOPIC_LENGTH = 1000;

/**
 * The links in a topic in the order of their text: those of the linkifiers, and web addresses
 * outside of them.
 */
export function topicLinks(
  linkify: MarkdownIt['linkify'],
  topic: string,
  linkifiers: readonly TopicLinkifier[],
): TopicLink[] {
  if (topic.length > MAX_TOPIC_LENGTH) return [];
  const found: (TopicLink & { index: number })[] = [];
  const overlaps = (start: number, end: number): boolean =>
    found.some((other) => start < other.index + other.text.length && other.index < end);
  const add = ({ text, url, index }: TopicLink & { index: number }): void => {
    if (!overlaps(index, index + text.length)) found.push({ text, url, index });
  };
  const budget = new LinkifierBudget();
  for (const linkifier of linkifiers) {
    for (const link of linkifier.linksIn(topic, budget)) add(link);
  }
  for (const match of linkify.match(topic) ?? []) {
    if (/^https?:$/i.test(match.schema))
      add({ text: match.raw, url: match.url, index: match.index });
  }
  found.sort((a, b) => a.index - b.index);
  return found.map(({ text, url }) => ({ text, url }));
}
