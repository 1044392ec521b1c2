import type { Message } from '../../../client/index.js';
import { linkOf } from '../links.js';
import type { Model } from '../model.js';
import { authorOf } from '../reading/names.js';
import { say } from '../say.js';
import { addressOf, conversationOf } from '../view.js';

/** Puts what a message says into the text that is being written where it was said. */
export async function quote(model: Model, message: Message): Promise<void> {
  const { client, me } = model;
  const params = { message_id: message.id, apply_markdown: false };
  const { raw_content } = await client.call('GET /messages/{message_id}', params);
  const view = conversationOf(message, me.user_id);
  const said = say('message.said', {
    person: `@_**${authorOf(model, message).full_name}|${message.sender_id}**`,
    link: linkTo(model, message),
  });
  // A fence ends only at one as long.
  const longest = Math.max(2, ...(raw_content.match(/`{3,}/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const text = `${said}\n${fence}quote\n${raw_content}\n${fence}\n`;
  // Where all topics are shown, the text goes to the topic.
  if (addressOf(view) !== addressOf(model.view)) model.go(view);
  model.drafts.insert(view, text);
  setTimeout(() => document.getElementById('compose')?.focus());
}

/** The address of a message for others. */
export function linkTo(model: Model, message: Message): string {
  const view = conversationOf(message, model.me.user_id);
  const name = view.kind === 'channel' ? model.channelName(view.channelId) : '';
  return linkOf(view, message.id, name);
}
