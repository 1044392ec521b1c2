/** Mattermost writes Markdown, too; who and what it names has other forms. */

/** What names in a text mean. */
export interface MattermostNames {
  user(name: string): { readonly full_name: string; readonly user_id: number } | undefined;
  /** Name here of a channel of the same team. */
  channel(name: string): string | undefined;
}

/** Code is kept as it is. */
const CODE = /(```[\s\S]*?```|`[^`\n]+`)/;
const MENTION = /(^|[\s("'*_~])@([a-z0-9][a-z0-9._-]*)/gi;
const CHANNEL = /(^|[\s("'*_])~([a-z0-9][a-z0-9_-]*)/gi;
const EVERYBODY = new Set(['all', 'channel', 'here']);

/** A message as it is written here. */
export function markdownOf(text: string, names: MattermostNames): string {
  const parts = text.split(CODE);
  return parts.map((part, i) => (i % 2 === 1 ? part : prose(part, names))).join('');
}

function prose(text: string, names: MattermostNames): string {
  return text
    .replace(MENTION, (whole, before: string, name: string) => {
      if (EVERYBODY.has(name.toLowerCase())) return `${before}@**all**`;
      // A point after a name ends the sentence.
      const bare = names.user(name.toLowerCase()) ? name : name.replace(/[._-]+$/, '');
      const user = names.user(bare.toLowerCase());
      return user
        ? `${before}@**${user.full_name}|${user.user_id}**${name.slice(bare.length)}`
        : whole;
    })
    .replace(CHANNEL, (whole, before: string, name: string) => {
      const channel = names.channel(name.toLowerCase());
      return channel === undefined ? whole : `${before}#**${channel}**`;
    });
}
