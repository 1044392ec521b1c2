import { badRequest } from '../../errors/index.js';
import { channelDescription, channelName } from '../../organization/channels/channel-creation.js';
import { normalColor } from '../../organization/views/channel-colors.js';
import type { Organization } from '../../organization/state/organization.js';
import { nameKey } from '../../services/text/stored-text.js';
import type { MentionDirectory } from '../../services/markdown/render-environment.js';
import type { Markdown } from '../../services/markdown/markdown.js';

/** A channel of a subscribe request, checked; the description applies only to a new channel. */
export interface WantedChannel {
  readonly name: string;
  readonly description: string;
  /** In stored form. */
  readonly color: string | undefined;
}

interface Entry {
  readonly name: string;
  readonly description?: string | null;
  readonly color?: string | null;
}

/** Channels that a request names, each once. @throws ApiError for an invalid name or colour */
export function wantedChannels(entries: readonly Entry[]): WantedChannel[] {
  const wanted = new Map<string, WantedChannel>();
  entries.forEach((entry, i) => {
    const name = channelName(entry.name);
    const given = entry.color ?? undefined;
    const color = given === undefined ? undefined : normalColor(given);
    if (given !== undefined && color === undefined) {
      throw badRequest(`subscriptions[${i}]["color"] is not a valid hex color code`);
    }
    const key = nameKey(name);
    if (wanted.has(key)) return;
    wanted.set(key, { name, description: channelDescription(entry.description ?? ''), color });
  });
  return [...wanted.values()];
}

/**
 * Renders a channel's description. Everybody who sees the channel reads it, so only public channels
 * become links, and mentions do not.
 */
export function renderDescription(
  org: Organization,
  markdown: Markdown,
  description: string,
): string {
  const directory: MentionDirectory = {
    userByName: () => undefined,
    userById: () => undefined,
    groupByName: () => undefined,
    channelByName: (name) => {
      const channel = org.channels.byName(name);
      return channel && !channel.invite_only ? channel : undefined;
    },
  };
  return markdown.render(description, directory).html;
}
