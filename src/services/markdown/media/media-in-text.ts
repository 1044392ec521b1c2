import type { StateCore, Token } from 'markdown-it';
import { attachmentOf } from '../facts.js';
import { environmentOf } from '../render-environment.js';
import { inlineImageHtml } from './inline-images.js';
import { audioHtml } from './preview-html.js';

/**
 * Most pictures in the text of one message, as many as it has previews; further ones are links. Each may change the
 * message once more, when its thumbnails are there.
 */
const MAX_IMAGES = 24;

/** Replaces image syntax that names uploaded pictures and sounds by what shows and plays them. */
export class MediaInText {
  private images = 0;

  constructor(private readonly state: StateCore) {}

  /** What replaces an image of the parser; undefined for what is neither, which becomes a link. */
  tokenFor(image: Token): Token | undefined {
    const { directory, publicUrl } = environmentOf(this.state);
    const href = String(image.attrGet('src') ?? '');
    const pathId = attachmentOf(href, publicUrl);
    const media = pathId === undefined ? undefined : directory.media?.(pathId, 'text');
    if (pathId === undefined || !media) return undefined;
    const alt = image.content;
    if (media.kind === 'audio') return this.token('audio', href, audioHtml({ href, title: alt }));
    if (media.kind !== 'image' || this.images === MAX_IMAGES) return undefined;
    this.images += 1;
    const src = href.slice(href.indexOf('/user_uploads/'));
    const title = String(image.attrGet('title') ?? '');
    const html = inlineImageHtml({ alt, src, pathId, title }, media.image, media.original);
    return this.token('img', href, html);
  }

  private token(tag: 'audio' | 'img', href: string, html: string): Token {
    const token = new this.state.Token('media', tag, 0);
    token.attrs = [['href', href]];
    token.meta = { html };
    return token;
  }
}
