import type { StateBlock, StateCore, StateInline } from 'markdown-it';
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
  /** True while the inline text being parsed is inside a quotation. */
  quoted: boolean;
  /** Cells of the tables seen so far. */
  tableCells: number;
  /** What the message has used of its bounds (budget.ts). */
  inlineTokens: number;
  brackets: number;
  emoji: number;
}

const ENVIRONMENT = Symbol('render environment');

/** The state at the beginning of a rendering. */
export function newEnvironment(directory: MentionDirectory): RenderEnvironment {
  return { directory, quoted: false, tableCells: 0, inlineTokens: 0, brackets: 0, emoji: 0 };
}

/** Wraps the environment in the form that the parser hands to its rules. */
export function parserEnvironment(environment: RenderEnvironment): Record<symbol, unknown> {
  return { [ENVIRONMENT]: environment };
}

/** The environment of the rendering that `state` belongs to. */
export function environmentOf(state: StateInline | StateBlock | StateCore): RenderEnvironment {
  return state.env[ENVIRONMENT] as RenderEnvironment;
}
