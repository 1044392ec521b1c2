import type { Message, Reaction } from '../../../client/index.js';
import { characterOf } from '../content.js';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { numberText } from '../times.js';
import { listText } from '../view.js';

/** Emoji under a message, each with how many chose it. */
export function Reactions({ model, message }: { model: Model; message: Message }) {
  const groups = new Map<string, Reaction[]>();
  for (const one of message.reactions) {
    groups.set(one.emoji_code, [...(groups.get(one.emoji_code) ?? []), one]);
  }
  if (groups.size === 0) return null;
  return (
    <p class="reactions">
      {[...groups.values()].map((group) => {
        const [{ emoji_name, emoji_code, reaction_type }] = group as [Reaction];
        const isMine = group.some(({ user_id }) => user_id === model.me.user_id);
        const people = listText(group.map(({ user_id }) => model.nameOf(user_id)));
        const url = reaction_type === 'unicode_emoji' ? undefined : model.emoji.urlOf(emoji_code);
        const text =
          reaction_type === 'unicode_emoji' ? characterOf(emoji_code) : `:${emoji_name}:`;
        return (
          <button
            key={emoji_code}
            aria-pressed={isMine}
            aria-label={say('message.reaction', { emoji: emoji_name, count: group.length })}
            title={say('message.reacted', { emoji: emoji_name, people })}
            onClick={() => react(model, message, emoji_name, isMine)}
          >
            {url === undefined ? text : <img class="emoji" src={url} alt="" />}{' '}
            {numberText(group.length)}
          </button>
        );
      })}
    </p>
  );
}

export function react(model: Model, { id }: Message, emoji_name: string, isMine: boolean): void {
  const params = { message_id: id, emoji_name };
  const name = '/messages/{message_id}/reactions';
  model.surface.attempt(
    isMine
      ? model.client.call(`DELETE ${name}`, params)
      : model.client.call(`POST ${name}`, params),
  );
}
