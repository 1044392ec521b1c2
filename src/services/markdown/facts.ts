import type { Token } from 'markdown-it';
import { meaningOf } from './element-token.js';

/** What a message contains, apart from its HTML. */
export interface TextFacts {
  /** Who is notified: mentions that are not silent. Ids ascending, each once. */
  mentions: {
    users: number[];
    groups: number[];
    channel_wildcard: boolean;
    topic_wildcard: boolean;
  };
  /**
   * Contains a link to a web or mail address or an uploaded file (not just to a channel). What the text shows or plays
   * by itself has no link, as existing clients judge.
   */
  has_link: boolean;
  /** Contains a picture, or a link to a file that is an image by its name. */
  has_image: boolean;
  has_attachment: boolean;
  /**
   * Path ids of the uploaded files it shows or links to, sorted, each once: what follows `/user_uploads/`
   * in their URL, with percent encoding undone.
   */
  attachments: string[];
}

/** A path that names a picture. */
export const IMAGE_FILE = /\.(?:avif|bmp|gif|jpe|jpeg|jpg|png|webp)$/i;
const UPLOADS = '/user_uploads/';

/** Facts of a message of which nothing could be parsed. */
export function noFacts(): TextFacts {
  return {
    mentions: { users: [], groups: [], channel_wildcard: false, topic_wildcard: false },
    has_link: false,
    has_image: false,
    has_attachment: false,
    attachments: [],
  };
}

/** Reads the facts off a parsed message. `publicUrl` makes absolute links to uploads count. */
export function factsOf(tokens: readonly Token[], publicUrl?: string): TextFacts {
  const facts = noFacts();
  const users = new Set<number>();
  const groups = new Set<number>();
  const attachments = new Set<string>();
  for (const token of inlineTokens(tokens)) {
    const meaning = meaningOf(token);
    if (meaning && 'silent' in meaning && !meaning.silent) {
      if (meaning.kind === 'user') users.add(meaning.userId);
      else if (meaning.kind === 'group') groups.add(meaning.groupId);
      else facts.mentions[meaning.kind] = true;
    } else if (token.type === 'link_open' || token.type === 'media') {
      const href = String(token.attrGet('href') ?? '');
      if (href === '') continue;
      if (token.type === 'link_open') facts.has_link = true;
      if (token.tag === 'img' || IMAGE_FILE.test(href.replace(/[?#].*$/s, ''))) {
        facts.has_image = true;
      }
      const pathId = attachmentOf(href, publicUrl);
      if (pathId !== undefined) attachments.add(pathId);
    }
  }
  facts.mentions.users = [...users].sort((a, b) => a - b);
  facts.mentions.groups = [...groups].sort((a, b) => a - b);
  facts.attachments = [...attachments].sort();
  facts.has_attachment = attachments.size > 0;
  return facts;
}

function* inlineTokens(tokens: readonly Token[]): Iterable<Token> {
  for (const token of tokens) if (token.children) yield* token.children;
}

/** The path of an uploaded file that an address leads to. */
export function attachmentOf(href: string, publicUrl: string | undefined): string | undefined {
  const path = publicUrl && href.startsWith(publicUrl) ? href.slice(publicUrl.length) : href;
  if (!path.startsWith(UPLOADS)) return undefined;
  const encoded = path.slice(UPLOADS.length).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
