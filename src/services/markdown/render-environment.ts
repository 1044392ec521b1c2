import type { StateBlock, StateCore, StateInline } from 'markdown-it';
import type { Media } from './media/preview-html.js';
import { timeBudget, type TimeBudget } from './time-limit.js';
import type { TopicLinkifier } from './topic-links.js';

/**
 * What the renderer may ask about the organization while it renders one message. The caller
 * decides per message what the sender can name: a lookup that returns nothing leaves the text of
 * the message as it was written.
 */
export interface MentionDirectory {
  /** Looks up a user by full name, case-sensitively. */
  userByName(name: string): { user_id: number; full_name: string } | undefined;
  userById(id: number): { user_id: number; full_name: string } | undefined;
  groupByName(name: string): { id: number; name: string } | undefined;
  channelByName(name: string): { stream_id: number; name: string } | undefined;
  /** The newest message of a topic that the sender may read. */
  newestInTopic?(channelId: number, topic: string): number | undefined;
  /**
   * What an uploaded file is that the sender may fetch and readers may see or hear; undefined for any other.
   * @param place `text` where the sender put the file itself, `preview` where a link leads to it
   */
  media?(pathId: string, place: 'preview' | 'text'): Media | undefined;
  /** The path of this server at which it gives out a picture of another; absent where it shows none. */
  outsidePicture?: ((address: string) => string) | undefined;
  /** Whether previews of web pages are wanted. */
  previewsPages?: boolean;
  /** Looks up an active custom emoji; it hides a Unicode emoji of the same name. */
  customEmoji?(name: string): { id: string; source_url: string } | undefined;
  /** The sender's setting: turn `:)` and the like into emoji. */
  translateEmoticons?: boolean;
  /** The organization's linkifiers in their order. */
  linkifiers?: readonly TopicLinkifier[];
  /** Language of fenced code that names none; empty or absent for none. */
  defaultCodeLanguage?: string;
}

/** State of one rendering that the rules share. */
export interface RenderEnvironment {
  readonly directory: MentionDirectory;
  /** Origin of this server without a final slash. */
  readonly publicUrl: string | undefined;
  /** True while the inline text being parsed is inside a quotation. */
  quoted: boolean;
  /** Cells of the tables seen so far. */
  tableCells: number;
  /** What the message has used of its bounds (budget.ts). */
  inlineTokens: number;
  brackets: number;
  emoji: number;
  /** Parts of TeX and characters of code seen so far (math.ts, code-blocks.ts). */
  tex: number;
  code: number;
  /** Blocks of code seen so far, and parts of them that were coloured. */
  codeBlocks: number;
  codeParts: number;
  /** What libraries may still take. */
  readonly time: TimeBudget;
  /** What is put in the place of placeholders after the sanitizer. */
  readonly fragments: string[];
}

const ENVIRONMENT = Symbol('render environment');

/** The state at the beginning of a rendering. */
export function newEnvironment(
  directory: MentionDirectory,
  publicUrl?: string,
  time = timeBudget(),
): RenderEnvironment {
  return {
    ...{
      directory,
      publicUrl,
      quoted: false,
      tableCells: 0,
      inlineTokens: 0,
      brackets: 0,
      emoji: 0,
    },
    ...{ tex: 0, code: 0, codeBlocks: 0, codeParts: 0, time, fragments: [] },
  };
}

/** Wraps the environment in the form that the parser hands to its rules. */
export function parserEnvironment(environment: RenderEnvironment): Record<symbol, unknown> {
  return { [ENVIRONMENT]: environment };
}

/** The environment of the rendering that `state` belongs to. */
export function environmentOf(state: StateInline | StateBlock | StateCore): RenderEnvironment {
  return environmentIn(state.env);
}

/** The environment in what the parser hands to its rules. */
export function environmentIn(env: object): RenderEnvironment {
  return (env as Record<symbol, RenderEnvironment>)[ENVIRONMENT]!;
}

/**
 * HTML that this server makes by itself out of formulas and code. It has elements and attributes by the dozen that no
 * other text may have, so it does not go through the sanitizer: a placeholder does, in whose place it is put after.
 * Nobody can write a placeholder, since no HTML of a message reaches the sanitizer as such; if somebody could, it
 * would stand for a formula of the same message.
 */

/** Class of a placeholder, with the number of its fragment. */
export const FRAGMENT_CLASS = /^fragment-\d{1,5}$/;
const PLACEHOLDER = /<span class="fragment-(\d{1,5})"><\/span>/g;

/** Keeps a fragment and returns its placeholder. */
export function placeholderOf(environment: RenderEnvironment, html: string): string {
  environment.fragments.push(html);
  return `<span class="fragment-${environment.fragments.length - 1}"></span>`;
}

/** Puts the fragments of a rendering in their places. @param env what the parser hands to its rules */
export function withFragments(html: string, env: object): string {
  const { fragments } = environmentIn(env);
  if (fragments.length === 0) return html;
  return html.replace(PLACEHOLDER, (_all, number: string) => fragments[Number(number)] ?? '');
}
