import MarkdownParser from 'markdown-it';
import type { MarkdownIt } from 'markdown-it';
import { inlineBudget } from './budget.js';
import { listIndentation, bulletLists } from './lines/lists.js';
import { channelLinks } from './channel-links.js';
import { codeBlocks } from './code/code-blocks.js';
import { deletedText } from './lines/deleted-text.js';
import { dialect } from './dialect.js';
import {
  type MentionDirectory,
  newEnvironment,
  parserEnvironment,
  withFragments,
} from './render-environment.js';
import { emptyQuotations } from './lines/empty-quotations.js';
import { elementTokens } from './element-token.js';
import { labelEnds } from './label-ends.js';
import { emojiTokens, hasEmoji } from './emoji-tokens.js';
import { type TextFacts, factsOf, NO_FACTS } from './facts.js';
import { fences } from './fences.js';
import { lineBreaks } from './lines/line-breaks.js';
import { linkifierLinks } from './linkifier-links.js';
import { links } from './links.js';
import { math } from './formulas/math.js';
import { pageLinks } from './media/page-links.js';
import { previews } from './media/previews.js';
import { mentions } from './mentions.js';
import { nesting } from './nesting.js';
import { quickTokens } from './quick-tokens.js';
import { sanitize } from './sanitizer.js';
import { strongOutside } from './lines/strong-outside.js';
import { tables } from './tables.js';
import { timestamps } from './timestamps.js';
import { timeBudget } from './time-limit.js';
import { type TopicLink, type TopicLinkifier, topicLinks } from './topic-links.js';
import { MAY_LINK } from './addresses.js';

/** How rendering is set up. */
export interface MarkdownOptions {
  /** Origin of this server without a final slash; absolute links to its uploads are attachments. */
  publicUrl?: string;
  /**
   * Longest source that is parsed, in UTF-16 code units (default 20000, as many as a message of
   * 10000 code points can have); a longer one is shown as it was written.
   */
  maxSourceLength?: number;
  /**
   * Milliseconds of the processor that libraries may take for one message (default: see `timeBudget`). Tests of the
   * bounds of length set more, since those of time end a rendering earlier on a slow machine.
   */
  libraryTimeMs?: number;
  /** Told about an exception of the parser; the message was then shown as it was written. */
  onError?: (error: unknown) => void;
  /** Removes from the HTML of the parser what messages may not contain (default `sanitize`). */
  sanitizer?: (html: string) => string;
}

/** A rendered message. */
export interface Rendered extends TextFacts {
  /** Sanitized, well-formed HTML; empty for an empty source. */
  readonly html: string;
  /** Addresses of the web pages that it links and that get a preview, in the order of the text. */
  readonly pages: readonly string[];
}

const NO_PAGES: readonly string[] = [];

/** Renders the Markdown dialect of existing clients. Holds no state between calls. */
export interface Markdown {
  /** Renders one message. Throws nothing but what `onError` throws. */
  render(source: string, directory: MentionDirectory): Rendered;
  /** Links in a topic (`topic_links`): the linkifiers' first, then web addresses elsewhere. */
  renderTopicLinks(topic: string, linkifiers?: readonly TopicLinkifier[]): TopicLink[];
}

/** Builds a renderer. It is expensive to build, and one serves all organizations. */
export function createMarkdown(options: MarkdownOptions = {}): Markdown {
  const md = createParser();
  const { maxSourceLength = 20_000, libraryTimeMs, sanitizer = sanitize } = options;
  return {
    render(source, directory) {
      if (source.length > maxSourceLength) return asWritten(md, source);
      const plain = plainText(source, directory);
      if (plain !== undefined) return withoutFacts(plain);
      try {
        const environment = newEnvironment(directory, options.publicUrl, timeBudget(libraryTimeMs));
        const env = parserEnvironment(environment);
        const tokens = md.parse(source, env);
        const facts = factsOf(tokens, options.publicUrl);
        const pages = pageLinks(tokens, environment);
        const html = sanitizer(md.renderer.render(tokens, md.options, env));
        return { html: withFragments(html.trimEnd(), env), pages, ...facts };
      } catch (error) {
        options.onError?.(error);
        return asWritten(md, source);
      }
    },
    renderTopicLinks: (topic, linkifiers = []) =>
      linkifiers.length === 0 && !MAY_LINK.test(topic)
        ? []
        : topicLinks(md.linkify, topic, linkifiers),
  };
}

/** Whether a message is a `/me` message, which clients show as an action of its sender. */
export function isMeMessage(source: string): boolean {
  return source.startsWith('/me ');
}

function createParser(): MarkdownIt {
  return new MarkdownParser({ html: false, breaks: true, linkify: true, maxNesting: 100 })
    .use(quickTokens)
    .use(dialect)
    .use(nesting)
    .use(labelEnds)
    .use(inlineBudget)
    .use(elementTokens)
    .use(fences)
    .use(codeBlocks)
    .use(math)
    .use(tables)
    .use(links)
    .use(previews)
    .use(linkifierLinks)
    .use(timestamps)
    .use(strongOutside)
    .use(deletedText)
    .use(lineBreaks)
    .use(bulletLists)
    .use(emptyQuotations)
    .use(listIndentation)
    .use(mentions)
    .use(channelLinks)
    .use(emojiTokens);
}

function asWritten(md: MarkdownIt, source: string): Rendered {
  const text = md.utils.escapeHtml(source).replaceAll('\n', '<br>\n');
  return withoutFacts(`<p>${text}</p>`);
}

/** Names the properties: a copy of `NO_FACTS` with more of them would be an object of a shape of its own. */
function withoutFacts(html: string): Rendered {
  return {
    html,
    pages: NO_PAGES,
    mentions: NO_FACTS.mentions,
    has_link: NO_FACTS.has_link,
    has_image: NO_FACTS.has_image,
    has_attachment: NO_FACTS.has_attachment,
    attachments: NO_FACTS.attachments,
  };
}

/** Longest text that {@link plainText} takes, UTF-16 code units: it comes nowhere near the bounds of budget.ts. */
const MAX_LENGTH = 2000;

/** Letters, marks and digits but for those that make emoji: `ℹ` is a letter, and so are selectors marks. */
const WORD = String.raw`[\p{L}\p{M}\p{Nd}]--[\p{Extended_Pictographic}\ufe0f\u20e3]`;
/** What means something to no rule, wherever it stands behind the first character of a line. */
const ANY = String.raw`[[${WORD}][ ,.?!'"\(\)\/\-%=+$_‘’“”…–—€、。「」！？，（）]]`;
/** A line begins with a letter or digit, but not with the number of an item. It ends with no space. */
const LINE = String.raw`(?!\d{1,9}[.\)])[[\p{L}\p{Nd}]--\p{Extended_Pictographic}][${ANY}:]*(?<! )`;
const PLAIN = new RegExp(String.raw`^${LINE}(?:\n${LINE})*$`, 'v');

/**
 * The HTML of a text without any construct of the dialect, which is what most messages are: the parser makes one
 * paragraph of it, with its lines as they are. Undefined where there may be one: then the parser decides.
 */
export function plainText(source: string, directory: MentionDirectory): string | undefined {
  const { linkifiers = [] } = directory;
  if (source.length > MAX_LENGTH || linkifiers.length > 0) return undefined;
  if (!PLAIN.test(source) || MAY_LINK.test(source) || source.includes('$$')) return undefined;
  // With a colon there may be a shortcode or an emoticon.
  if (source.includes(':') && hasEmoji(source, directory)) return undefined;
  return `<p>${source.includes('\n') ? source.replaceAll('\n', '<br>\n') : source}</p>`;
}
