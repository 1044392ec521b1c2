import type { View } from './view.js';

/**
 * Links as all clients of this API know them (`#narrow/channel/7-general/topic/x/near/12`): in messages, in mails, and
 * copied from here.
 */
export function linkOf(view: View, id: number, channelName: string): string {
  const place = `${location.origin}/#narrow`;
  if (view.kind === 'channel') {
    const topic = view.topic === undefined ? '' : `/topic/${encoded(view.topic)}`;
    return `${place}/channel/${view.channelId}-${encoded(channelName.replaceAll(' ', '-'))}${topic}/near/${id}`;
  }
  if (view.kind === 'direct') return `${place}/dm/${view.userIds.join(',')}-dm/near/${id}`;
  return `${location.origin}/`;
}

/** The view that a link means; null where it is none of a conversation. @param hash behind `#narrow` */
export function viewOfLink(hash: string, me: number): View | null {
  const [, kind, operand = '', ...rest] = hash.split('/');
  const terms = new Map<string, string>();
  for (let index = 0; index < rest.length; index += 2) {
    terms.set(rest[index]!, rest[index + 1] ?? '');
  }
  const id = Number(terms.get('near') ?? terms.get('with'));
  const near = Number.isSafeInteger(id) && id > 0 ? { near: id } : {};
  if (kind === 'channel' || kind === 'stream') {
    const channelId = Number.parseInt(operand, 10);
    if (Number.isNaN(channelId)) return null;
    const topic = terms.get('topic') ?? terms.get('subject');
    return {
      kind: 'channel',
      channelId,
      ...(topic === undefined ? {} : { topic: decoded(topic) }),
      ...near,
    };
  }
  if (kind === 'dm' || kind === 'pm-with') {
    const ids = (/^[\d,]+/.exec(operand)?.[0] ?? '')
      .split(',')
      .filter((one) => one !== '')
      .map(Number);
    const others = ids.filter((one) => one !== me).sort((a, b) => a - b);
    return { kind: 'direct', userIds: others.length === 0 ? [me] : others, ...near };
  }
  return null;
}

function encoded(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('.', '%2E')
    .replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%', '.');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('.', '%'));
  } catch {
    return text;
  }
}
