import { linkOrWords } from '../../../services/markdown/links.js';
import { markdownOfSlack } from '../../../services/text/slack-marks.js';

/** Converts Slack's text format to this server's Markdown dialect. */

/** What the ids in a text mean. */
export interface SlackNames {
  /** Name and id here of an account there, or undefined. */
  user(id: string): { readonly full_name: string; readonly user_id: number } | undefined;
  /** Name here of a channel there. */
  channel(id: string): string | undefined;
}

/** `group` was everybody of a private channel. */
const EVERYBODY = new Set(['here', 'channel', 'everyone', 'group']);

/** A message of Slack as Markdown. */
export function markdownOf(text: string, names: SlackNames): string {
  return markdownOfSlack(text, (kind, target, label) => reference(kind, target, label, names));
}

function reference(kind: string, target: string, said = '', names: SlackNames): string {
  if (kind === '@') {
    const user = names.user(target);
    return user ? `@**${user.full_name}|${user.user_id}**` : `@${said || target}`;
  }
  if (kind === '#') return `#**${names.channel(target) ?? (said || target)}**`;
  if (kind === '!') {
    if (EVERYBODY.has(target)) return '@**all**';
    return said || `@${target.replace(/^\w+\^/, '')}`;
  }
  return linkOrWords(said, target);
}
