import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { LinkifierBudget } from '../linkifiers/budget.js';
import { environmentOf } from './render-environment.js';
import type { TopicLink, TopicLinkifier } from './topic-links.js';

type Found = TopicLink & { index: number };

/** Adds the organization's linkifiers: in text only, not in code and not in other links. */
export function linkifierLinks(md: MarkdownIt): void {
  md.core.ruler.after('linkify', 'linkifier_links', (state) => {
    const { linkifiers = [] } = environmentOf(state).directory;
    if (linkifiers.length === 0) return;
    const budget = new LinkifierBudget();
    for (const token of state.tokens) {
      if (token.children) token.children = withLinks(state, token.children, linkifiers, budget);
    }
  });
}

function withLinks(
  state: StateCore,
  tokens: Token[],
  linkifiers: readonly TopicLinkifier[],
  budget: LinkifierBudget,
): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open' || token.type === 'link_close') depth += token.nesting;
    if (token.type !== 'text' || depth > 0) return [token];
    const found = linksIn(token.content, linkifiers, budget);
    return found.length === 0 ? [token] : split(state, token.content, found);
  });
}

/** The links of all linkifiers; where two overlap the one that comes first in their order stays. */
function linksIn(
  text: string,
  linkifiers: readonly TopicLinkifier[],
  budget: LinkifierBudget,
): Found[] {
  const found: Found[] = [];
  for (const linkifier of linkifiers) {
    const taken = found.length;
    for (const link of linkifier.linksIn(text, budget)) {
      const free = (other: Found): boolean =>
        other.index >= link.index + link.text.length ||
        link.index >= other.index + other.text.length;
      if (found.slice(0, taken).every(free)) found.push(link);
    }
  }
  return found.sort((a, b) => a.index - b.index);
}

function split(state: StateCore, text: string, found: readonly Found[]): Token[] {
  const tokens: Token[] = [];
  const push = (content: string): void => {
    if (content === '') return;
    const token = new state.Token('text', '', 0);
    token.content = content;
    tokens.push(token);
  };
  let done = 0;
  for (const { index, text: shown, url } of found) {
    push(text.slice(done, index));
    const open = new state.Token('link_open', 'a', 1);
    open.attrs = [['href', url]];
    // Like a bare address: its text is not looked at again.
    open.info = 'auto';
    tokens.push(open);
    push(shown);
    tokens.push(new state.Token('link_close', 'a', -1));
    done = index + shown.length;
  }
  push(text.slice(done));
  return tokens;
}
