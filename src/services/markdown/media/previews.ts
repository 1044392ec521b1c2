import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { attachmentOf } from '../facts.js';
import { placeholderOf } from '../fragments.js';
import { environmentIn, environmentOf } from '../mention-directory.js';
import { audioHtml, previewHtml, type Media, type MediaLink } from './preview-html.js';

/** Most previews below one message; one with more linked pictures has none, as existing clients expect. */
const MAX_PREVIEWS = 24;

/**
 * Shows uploaded pictures and videos below the paragraph that links them, and in an item of a list after its text; not
 * in quotations, where they were shown before, nor in headings and tables. `![text](address)` of an uploaded sound is a
 * player.
 */
export function previews(md: MarkdownIt): void {
  md.core.ruler.after('image_links', 'previews', (state) => {
    if (!environmentOf(state).directory.media) return;
    const places = linkedMedia(state);
    const count = [...places.values()].reduce((sum, { length }) => sum + length, 0);
    if (count === 0 || count > MAX_PREVIEWS) return;
    state.tokens = state.tokens.flatMap((token, index, tokens) => {
      const found = places.get(tokens[index - 1]!);
      // The end of a paragraph, which an item of a list hides.
      if (!found || token.hidden) return [token];
      return [token, previewToken(state, found, true)];
    });
    for (const [inline, found] of places) {
      const index = state.tokens.indexOf(inline);
      if (state.tokens[index + 1]?.hidden) inline.children!.push(previewToken(state, found, false));
    }
  });
  md.renderer.rules['media'] = (tokens, index, _options, env) => {
    const { html, end } = tokens[index]!.meta as { html: string; end: string };
    return placeholderOf(environmentIn(env as object), html) + end;
  };
}

/** The player of an uploaded sound that an image's syntax names; undefined for anything else. */
export function audioToken(state: StateCore, href: string, title: string): Token | undefined {
  const { directory, publicUrl } = environmentOf(state);
  const pathId = attachmentOf(href, publicUrl);
  if (pathId === undefined || directory.media?.(pathId)?.kind !== 'audio') return undefined;
  const token = new state.Token('media', 'audio', 0);
  token.attrs = [['href', href]];
  token.meta = { html: audioHtml({ href, title }), end: '' };
  return token;
}

interface Linked {
  readonly link: MediaLink;
  readonly media: Media;
}

/** Pictures and videos by the text that links them, each once in a message. */
function linkedMedia(state: StateCore): Map<Token, Linked[]> {
  const places = new Map<Token, Linked[]>();
  const seen = new Set<string>();
  let quotations = 0;
  state.tokens.forEach((token, index) => {
    if (token.type === 'blockquote_open') quotations += 1;
    else if (token.type === 'blockquote_close') quotations -= 1;
    if (token.type !== 'inline' || quotations > 0) return;
    if (state.tokens[index - 1]?.type !== 'paragraph_open') return;
    const found = mediaIn(state, token.children ?? []).filter(({ link }) => {
      if (seen.has(link.pathId)) return false;
      seen.add(link.pathId);
      return true;
    });
    if (found.length > 0) places.set(token, found);
  });
  return places;
}

function mediaIn(state: StateCore, children: readonly Token[]): Linked[] {
  const { directory, publicUrl } = environmentOf(state);
  return children.flatMap((token, index): Linked[] => {
    if (token.type !== 'link_open') return [];
    const href = String(token.attrGet('href') ?? '');
    const pathId = attachmentOf(href, publicUrl);
    const media = pathId === undefined ? undefined : directory.media!(pathId);
    if (pathId === undefined || !media || media.kind === 'audio') return [];
    const text = children[index + 1]?.type === 'text' ? children[index + 1]!.content : '';
    return [{ link: { href, pathId, title: text === href ? '' : text }, media }];
  });
}

function previewToken(state: StateCore, found: readonly Linked[], isBlock: boolean): Token {
  const token = new state.Token('media', 'div', 0);
  token.block = isBlock;
  const html = found.map(({ link, media }) => previewHtml(link, media)).join('');
  token.meta = { html, end: isBlock ? '\n' : '' };
  return token;
}
