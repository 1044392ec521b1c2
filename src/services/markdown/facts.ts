import type { Token } from 'markdown-it';
import { meaningOf } from './element-token.js';

/** What a message contains, apart from its HTML. */
export interface TextFacts {
  /** Who is notified: mentions that are not silent. Ids ascending, each once. */
  readonly mentions: {
    readonly users: readonly number[];
    readonly groups: readonly number[];
    readonly channel_wildcard: boolean;
    readonly topic_wildcard: boolean;
  };
  /**
   * Contains a link to a web or mail address or an uploaded file (not just to a channel). What the text shows or plays
   * by itself has no link, as existing clients judge.
   */
  readonly has_link: boolean;
  /** Contains a picture, or a link to a file that is an image by its name. */
  readonly has_image: boolean;
  readonly has_attachment: boolean;
  /**
   * Path ids of the uploaded files it shows or links to, sorted, each once: what follows `/user_uploads/`
   * in their URL, with percent encoding undone.
   */
  readonly attachments: readonly string[];
}

/** A path that names a picture. */
export const IMAGE_FILE = /\.(?:avif|bmp|gif|jpe|jpeg|jpg|png|webp)$/i;
const UPLOADS = '/user_uploads/';

/** Facts of a text without any construct of the dialect, or of which nothing could be parsed. */
export const NO_FACTS: TextFacts = {
  mentions: { users: [], groups: [], channel_wildcard: false, topic_wildcard: false },
  has_link: false,
  has_image: false,
  has_attachment: false,
  attachments: [],
};

/** Reads the facts off a parsed message. `publicUrl` makes absolute links to uploads count. */
export function factsOf(tokens: readonly Token[], publicUrl?: string): TextFacts {
  const users = new Set<number>();
  const groups = new Set<number>();
  const wildcards = { channel_wildcard: false, topic_wildcard: false };
  const attachments = new Set<string>();
  let has_link = false;
  let has_image = false;
  for (const token of inlineTokens(tokens)) {
    const meaning = meaningOf(token);
    if (meaning && 'silent' in meaning && !meaning.silent) {
      if (meaning.kind === 'user') users.add(meaning.userId);
      else if (meaning.kind === 'group') groups.add(meaning.groupId);
      else wildcards[meaning.kind] = true;
    } else if (token.type === 'link_open' || token.type === 'media') {
      const href = String(token.attrGet('href') ?? '');
      if (href === '') continue;
      if (token.type === 'link_open') has_link = true;
      if (token.tag === 'img' || IMAGE_FILE.test(href.replace(/[?#].*$/s, ''))) {
        has_image = true;
      }
      const pathId = attachmentOf(href, publicUrl);
      if (pathId !== undefined) attachments.add(pathId);
    }
  }
  return {
    mentions: { users: ascending(users), groups: ascending(groups), ...wildcards },
    has_link,
    has_image,
    has_attachment: attachments.size > 0,
    attachments: [...attachments].sort(),
  };
}

function ascending(ids: ReadonlySet<number>): number[] {
  return [...ids].sort((a, b) => a - b);
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
