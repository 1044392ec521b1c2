import type { Message, User } from '../../../client/index.js';
import { viewOfLink } from '../links.js';

/** People and channels as the organization has them now. */
export interface Names {
  readonly me: User;
  readonly users: ReadonlyMap<number, User>;
  knownChannelName(channelId: number): string | undefined;
}

/** Who wrote a message, as the organization has them now; while that is not known, as the message says. */
export function authorOf(
  { users }: Names,
  { sender_id, sender_full_name, avatar_url }: Message,
): Pick<User, 'full_name' | 'avatar_url'> {
  return users.get(sender_id) ?? { full_name: sender_full_name, avatar_url };
}

/** Names in the text of a message, by the ids that stand beside them, as they are now. */
export function putNames(names: Names, body: HTMLElement): void {
  for (const mention of body.querySelectorAll<HTMLElement>('.user-mention[data-user-id]')) {
    const person = names.users.get(Number(mention.dataset['userId']));
    const sign = mention.classList.contains('silent') ? '' : '@';
    if (person) put(mention, sign + person.full_name);
  }
  for (const link of body.querySelectorAll<HTMLAnchorElement>(
    'a:is(.stream, .stream-topic, .message-link)',
  )) {
    const view = viewOfLink(link.hash.replace('#narrow', ''), names.me.user_id);
    const name = view?.kind === 'channel' ? names.knownChannelName(view.channelId) : undefined;
    if (name !== undefined) putChannel(link, name, (view as { topic?: string }).topic);
  }
}

/** The name of a channel before the topic, which may stand in a part of its own; elsewhere the link stays as it is. */
function putChannel(link: HTMLAnchorElement, name: string, topic: string | undefined): void {
  if (topic === undefined) return put(link, `#${name}`);
  const text = link.firstChild;
  const behind = ` > ${topic}${link.matches('.message-link') ? ' @ 💬' : ''}`;
  if (text?.nodeValue?.endsWith(behind) && text.nodeValue !== `#${name}${behind}`)
    text.nodeValue = `#${name}${behind}`;
}

function put(part: HTMLElement, text: string): void {
  // What was searched for stays marked, where the name is the same.
  if (part.textContent !== text) part.textContent = text;
}
