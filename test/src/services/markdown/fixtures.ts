import type { MentionDirectory } from '../../../../src/services/markdown/render-environment.js';
import type { Rendered } from '../../../../src/services/markdown/markdown.js';
import {
  createMarkdown,
  type MarkdownOptions,
} from '../../../../src/services/markdown/markdown.js';
import { parsedAndRewritten, sanitize } from '../../../../src/services/markdown/sanitizer.js';

const USERS = [
  { user_id: 7, full_name: 'King Hamlet' },
  { user_id: 8, full_name: 'Othello' },
  { user_id: 9, full_name: 'all' },
];
const CHANNELS = [
  { stream_id: 5, name: 'my team' },
  { stream_id: 6, name: 'a.b (c)%' },
];

/** A small organization. */
export const directory: MentionDirectory = {
  userByName: (name) => USERS.find((user) => user.full_name === name),
  userById: (id) => USERS.find((user) => user.user_id === id),
  groupByName: (name) => (name === 'core' ? { id: 3, name } : undefined),
  channelByName: (name) => CHANNELS.find((channel) => channel.name === name),
  newestInTopic: (_channelId, topic) => (topic === 'moved' ? 77 : undefined),
  customEmoji: (name) =>
    name === 'green_tick' ? { id: '1', source_url: '/user_avatars/1/emoji/1.png' } : undefined,
};

const OPTIONS: MarkdownOptions = {
  publicUrl: 'https://chat.example.com',
  onError: (error) => {
    throw error;
  },
  sanitizer: (html) => {
    const sanitized = sanitize(html);
    if (sanitized !== parsedAndRewritten(html)) throw new Error(`Not sanitized: ${html}`);
    return sanitized;
  },
};

/** Renders without tolerating exceptions of the parser, or HTML that is taken as clean and isn't. */
export const bounded = createMarkdown(OPTIONS);

/**
 * The same, with time enough for libraries on any machine: what a text becomes depends on the bounds of length alone.
 */
export const markdown = createMarkdown({ ...OPTIONS, libraryTimeMs: 60_000 });

export function render(source: string, overrides: Partial<MentionDirectory> = {}): Rendered {
  return markdown.render(source, { ...directory, ...overrides });
}

export function html(source: string, overrides: Partial<MentionDirectory> = {}): string {
  return render(source, overrides).html;
}

const VOID = new Set(['br', 'hr', 'img']);

/** What is wrong with the nesting of the tags in `text`; undefined if nothing is. */
export function nestingFault(text: string): string | undefined {
  const open: string[] = [];
  for (const [tag, slash, name = ''] of text.matchAll(/<(\/?)([a-z0-9]+)[^>]*>/g)) {
    if (slash === '/') {
      if (open.pop() !== name) return `unexpected ${tag}`;
    } else if (!VOID.has(name)) {
      open.push(name);
    }
  }
  const rest = text.replace(/<\/?[a-z0-9]+(?: [a-z-]+="[^"<>]*")*>/g, '');
  if (/[<>]/.test(rest)) return `stray bracket in ${rest}`;
  return open.length > 0 ? `unclosed ${open.join(', ')}` : undefined;
}
