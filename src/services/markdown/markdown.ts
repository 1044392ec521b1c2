import MarkdownParser from 'markdown-it';
import type { MarkdownIt } from 'markdown-it';
import { inlineBudget } from './budget.js';
import { bulletLists } from './lines/bullet-lists.js';
import { channelLinks } from './channel-links.js';
import { codeBlocks } from './code/code-blocks.js';
import { deletedText } from './lines/deleted-text.js';
import { dialect } from './dialect.js';
import type { MentionDirectory } from './mention-directory.js';
import { newEnvironment, parserEnvironment } from './mention-directory.js';
import { emptyQuotations } from './lines/empty-quotations.js';
import { elementTokens } from './element-token.js';
import { emojiTokens } from './emoji-tokens.js';
import type { TextFacts } from './facts.js';
import { factsOf, noFacts } from './facts.js';
import { fences } from './fences.js';
import { withFragments } from './fragments.js';
import { lineBreaks } from './lines/line-breaks.js';
import { linkifierLinks } from './linkifier-links.js';
import { links } from './links.js';
import { listIndentation } from './lines/list-indentation.js';
import { math } from './formulas/math.js';
import { previews } from './media/previews.js';
import { mentions } from './mentions.js';
import { nesting } from './nesting.js';
import { plainText } from './plain-text.js';
import { quickTokens } from './quick-tokens.js';
import { sanitize } from './sanitizer.js';
import { strongOutside } from './lines/strong-outside.js';
import { tables } from './tables.js';
import { timestamps } from './timestamps.js';
import type { TopicLink, TopicLinkifier } from './topic-links.js';
import { topicLinks } from './topic-links.js';

/** How rendering is set up. */
export interface MarkdownOptions {
  /** Origin of this server without a final slash; absolute links to its uploads are attachments. */
  publicUrl?: string;
  /**
   * Longest source that is parsed, in UTF-16 code units (default 20000, as many as a message of
   * 10000 code points can have); a longer one is shown as it was written.
   */
  maxSourceLength?: number;
  /** Told about an exception of the parser; the message was then shown as it was written. */
  onError?: (error: unknown) => void;
  /** Removes from the HTML of the parser what messages may not contain (default `sanitize`). */
  sanitizer?: (html: string) => string;
}

/** A rendered message. */
export interface Rendered extends TextFacts {
  /** Sanitized, well-formed HTML; empty for an empty source. */
  html: string;
}

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
  const { maxSourceLength = 20_000, sanitizer = sanitize } = options;
  return {
    render(source, directory) {
      if (source.length > maxSourceLength) return asWritten(md, source);
      const plain = plainText(source, directory);
      if (plain !== undefined) return { html: plain, ...noFacts() };
      try {
        const env = parserEnvironment(newEnvironment(directory, options.publicUrl));
        const tokens = md.parse(source, env);
        const facts = factsOf(tokens, options.publicUrl);
        const html = sanitizer(md.renderer.render(tokens, md.options, env));
        return { html: withFragments(html.trimEnd(), env), ...facts };
      } catch (error) {
        options.onError?.(error);
        return asWritten(md, source);
      }
    },
    renderTopicLinks: (topic, linkifiers = []) => topicLinks(md.linkify, topic, linkifiers),
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
  return { html: `<p>${text}</p>`, ...noFacts() };
}
