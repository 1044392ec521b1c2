import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { attachmentOf } from '../facts.js';
import { environmentIn, environmentOf, placeholderOf } from '../render-environment.js';
import { isOnServer, pictureElsewhere } from './outside-links.js';
import {
  outsidePreviewHtml,
  previewHtml,
  type Media,
  type OutsidePreview,
} from './preview-html.js';

/** Most previews below one message; one with more linked pictures has none, as existing clients expect. */
const MAX_PREVIEWS = 24;

/**
 * Shows uploaded pictures and videos, and pictures of other servers, below the paragraph that links them, and in an
 * item of a list after its text; not in quotations, where they were shown before, nor in headings and tables.
 */
export function previews(md: MarkdownIt): void {
  md.core.ruler.after('image_links', 'previews', (state) => {
    const { directory } = environmentOf(state);
    if (!directory.media && !directory.outsidePicture) return;
    const places = linkedMedia(state);
    const count = [...places.values()].reduce((sum, { length }) => sum + length, 0);
    if (count === 0 || count > MAX_PREVIEWS) return;
    for (const [inline, found] of places) hideLoneAddress(state, inline, found);
    state.tokens = state.tokens.flatMap((token, index, tokens) => {
      const found = places.get(tokens[index - 1]!);
      if (!found || isItemText(tokens[index - 2]!)) return [token];
      return [token, previewToken(state, found)];
    });
    for (const [inline, found] of places) {
      const index = state.tokens.indexOf(inline);
      if (isItemText(state.tokens[index - 1]!)) {
        inline.children!.push(previewToken(state, found));
      }
    }
  });
  md.renderer.rules['media'] = (tokens, index, _options, env) =>
    placeholderOf(environmentIn(env as object), (tokens[index]!.meta as { html: string }).html);
}

/** A link with its preview. */
interface Linked {
  readonly href: string;
  /** The text of the link; empty where it is the address. */
  readonly title: string;
  readonly shown: Upload | OutsidePreview;
}

interface Upload {
  readonly pathId: string;
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
    const found = mediaIn(state, token.children ?? []).filter(({ href, shown }) => {
      const key = 'pathId' in shown ? shown.pathId : href;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
    if (found.length > 0) places.set(token, found);
  });
  return places;
}

function mediaIn(state: StateCore, children: readonly Token[]): Linked[] {
  return children.flatMap((token, index): Linked[] => {
    if (token.type !== 'link_open') return [];
    const href = String(token.attrGet('href') ?? '');
    const shown = uploadAt(state, href) ?? pictureAt(state, href);
    if (!shown) return [];
    const text = children[index + 1]?.type === 'text' ? children[index + 1]!.content : '';
    return [{ href, title: text === href ? '' : text, shown }];
  });
}

function uploadAt(state: StateCore, href: string): Upload | undefined {
  const { directory, publicUrl } = environmentOf(state);
  const pathId = attachmentOf(href, publicUrl);
  const media = pathId === undefined ? undefined : directory.media?.(pathId, 'preview');
  return pathId === undefined || !media || media.kind === 'audio' ? undefined : { pathId, media };
}

function pictureAt(state: StateCore, href: string): OutsidePreview | undefined {
  const { directory, publicUrl } = environmentOf(state);
  if (!directory.outsidePicture || isOnServer(href, publicUrl)) return undefined;
  const picture = pictureElsewhere(href);
  return picture
    ? { src: directory.outsidePicture(picture.address), video: picture.video }
    : undefined;
}

/**
 * Hides a paragraph that is nothing but the address of a picture elsewhere, which stands for it, as existing clients
 * expect.
 */
function hideLoneAddress(state: StateCore, inline: Token, [linked, ...more]: Linked[]): void {
  const children = inline.children!;
  if (children[1]?.type !== 'text') return;
  if (!linked || more.length > 0 || children.length !== 3 || linked.title !== '') return;
  if ('pathId' in linked.shown || linked.shown.video !== null) return;
  const index = state.tokens.indexOf(inline);
  const around = [state.tokens[index - 1]!, state.tokens[index + 1]!];
  const wasItemText = isItemText(around[0]!);
  for (const token of [children[0]!, children[2]!, ...around]) token.hidden = true;
  children[1].content = '';
  if (!wasItemText) around[0]!.meta = SHOWN_AS_BLOCK;
}

/** Mark of a paragraph that is hidden though it is no text of an item. */
const SHOWN_AS_BLOCK = { isBlock: true };

/** Whether a paragraph is the text of an item of a list, where the paragraph itself is hidden. */
function isItemText(paragraph: Token): boolean {
  return paragraph.hidden && paragraph.meta !== SHOWN_AS_BLOCK;
}

/** Existing servers put no white space behind it, wherever it stands. */
function previewToken(state: StateCore, found: readonly Linked[]): Token {
  const token = new state.Token('media', 'div', 0);
  token.meta = { html: found.map(htmlOf).join('') };
  return token;
}

function htmlOf({ href, title, shown }: Linked): string {
  if (!('pathId' in shown)) return outsidePreviewHtml({ href, title }, shown);
  const { pathId, media } = shown;
  return previewHtml({ href, pathId, title }, media);
}
