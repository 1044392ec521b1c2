import type { Model } from '../model.js';
import type { IconName } from '../parts/icon.js';
import { peopleWith } from '../people/picker.js';
import type { View } from '../view.js';

/** People, and channels, that are found at once: the list beside the conversations filters all. */
const MOST = 3;

export interface FoundPlace {
  readonly view: View;
  readonly name: string;
  readonly icon: IconName;
}

/** Channels and people whose names have a text. */
export function placesWith(model: Model, text: string): FoundPlace[] {
  const wanted = text.trim().replace(/^[#@]/, '').toLowerCase();
  if (wanted === '') return [];
  const channels = [...model.channels.values()]
    .filter(({ name, is_archived }) => !is_archived && name.toLowerCase().includes(wanted))
    .slice(0, MOST);
  const others = [...model.channelNames]
    .filter(([id, name]) => !model.channels.has(id) && name.toLowerCase().includes(wanted))
    .slice(0, MOST - channels.length);
  return [
    ...channels.map(({ stream_id: channelId, name, invite_only }) => ({
      view: { kind: 'channel', channelId } as const,
      name,
      icon: invite_only ? ('lock' as const) : ('hash' as const),
    })),
    ...others.map(([channelId, name]) => ({
      view: { kind: 'channel', channelId } as const,
      name,
      icon: 'hash' as const,
    })),
    ...peopleWith(model, wanted, MOST).map(({ user_id, full_name }) => ({
      view: { kind: 'direct', userIds: [user_id] } as const,
      name: full_name,
      icon: 'person' as const,
    })),
  ];
}
