import type { Token } from 'markdown-it';
import type { RenderEnvironment } from '../render-environment.js';
import { webAddress } from '../../outside/web-address.js';
import { isOnServer, pictureElsewhere } from './outside-links.js';

/** Web pages of one message that get a preview. */
const MAX_PAGES = 5;
/** A message with more links to pages is a list, and has no previews, as existing clients expect. */
const MAX_LINKS = 24;

/**
 * Addresses of the web pages that a parsed message links outside of quotations and that get a preview
 * (message-formatting.md#page-previews).
 */
export function pageLinks(tokens: readonly Token[], environment: RenderEnvironment): string[] {
  const { directory, publicUrl } = environment;
  if (directory.previewsPages !== true) return [];
  const pages = new Set<string>();
  let quotations = 0;
  for (const token of tokens) {
    if (token.type === 'blockquote_open') quotations += 1;
    else if (token.type === 'blockquote_close') quotations -= 1;
    if (quotations > 0) continue;
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue;
      const href = String(child.attrGet('href') ?? '');
      if (pages.has(href) || !webAddress(href) || isOnServer(href, publicUrl)) continue;
      if (!pictureElsewhere(href)) pages.add(href);
    }
  }
  return pages.size > MAX_LINKS ? [] : [...pages].slice(0, MAX_PAGES);
}
