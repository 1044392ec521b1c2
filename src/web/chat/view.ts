import type { EventMessage, NarrowTerm, Participant } from '../../client/index.js';
import { language } from '../shared/texts.js';

/** The message to which one was led; it is no part of the address of a conversation. */
interface Near {
  readonly near?: number;
}

/** What the main part shows; its address is the part of the URL behind `#`. */
export type View =
  | { readonly kind: 'home' }
  | (Near & { readonly kind: 'channel'; readonly channelId: number; readonly topic?: string })
  | (Near & { readonly kind: 'direct'; readonly userIds: readonly number[] })
  | { readonly kind: 'search'; readonly text: string }
  | { readonly kind: 'starred' };

export function addressOf(view: View): string {
  switch (view.kind) {
    case 'home':
    case 'starred':
      return `#/${view.kind}`;
    case 'channel': {
      const { channelId, topic } = view;
      return `#/channel/${channelId}${topic === undefined ? '' : `/${encodeURIComponent(topic)}`}`;
    }
    case 'direct':
      return `#/direct/${view.userIds.join(',')}`;
    case 'search':
      return `#/search/${encodeURIComponent(view.text)}`;
  }
}

/** The address of one message of a conversation. */
export function placeOf(view: View, id: number): string {
  return `${addressOf(view)}?near=${id}`;
}

export function viewAt(address: string): View {
  const [path = '', place] = address.split('?near=');
  const [, kind = '', first = '', second] = path.split('/');
  const id = Number(first);
  const near = isId(Number(place)) ? { near: Number(place) } : {};
  if (kind === 'channel' && isId(id)) {
    const topic = second === undefined ? undefined : decoded(second);
    return { kind, channelId: id, ...(topic === undefined ? {} : { topic }), ...near };
  }
  if (kind === 'direct' && /^\d+(,\d+)*$/.test(first)) {
    return { kind, userIds: first.split(',').map(Number), ...near };
  }
  if (kind === 'search' && first !== '') return { kind, text: decoded(first) };
  return kind === 'starred' ? { kind } : { kind: 'home' };
}

function isId(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Participants of a direct message but the viewer; the viewer alone for notes to oneself. */
export function othersIn(message: EventMessage, me: number): number[] {
  const ids = (message.display_recipient as Participant[]).map(({ id }) => id);
  const others = ids.filter((id) => id !== me).sort((a, b) => a - b);
  return others.length === 0 ? [me] : others;
}

/** The conversation of a message. */
export function conversationOf(message: EventMessage, me: number): View {
  return message.type === 'stream'
    ? { kind: 'channel', channelId: message.stream_id!, topic: message.subject }
    : { kind: 'direct', userIds: othersIn(message, me) };
}

export function isIn(view: View, message: EventMessage, me: number): boolean {
  if (view.kind === 'channel') {
    if (message.type !== 'stream' || message.stream_id !== view.channelId) return false;
    return view.topic === undefined || isSameTopic(view.topic, message.subject);
  }
  if (view.kind !== 'direct' || message.type !== 'private') return false;
  return othersIn(message, me).join() === [...view.userIds].sort((a, b) => a - b).join();
}

export function isSameTopic(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** What the server is asked for; what a search asks for has names in it (`search/asked.ts`). */
export function narrowOf(view: View): NarrowTerm[] {
  switch (view.kind) {
    case 'home':
    case 'search':
      return [];
    case 'starred':
      return [{ operator: 'is', operand: 'starred' }];
    case 'direct':
      return [{ operator: 'dm', operand: [...view.userIds] }];
    case 'channel': {
      const channel = { operator: 'channel', operand: view.channelId };
      if (view.topic === undefined) return [channel];
      return [channel, { operator: 'topic', operand: view.topic }];
    }
  }
}

/** Whether one can write there. */
export function isConversation(view: View): boolean {
  return view.kind === 'channel' || view.kind === 'direct';
}

/** Hebrew, Arabic and their kin. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

const isFromRight = document.documentElement.dir === 'rtl';

/** A name that does not turn round what stands beside it. */
export function isolated(name: string): string {
  return RIGHT_TO_LEFT.test(name) === isFromRight ? name : `\u2068${name}\u2069`;
}

const LIST = new Intl.ListFormat(language, { style: 'narrow' });

/** Names, one after the other. */
export function listText(names: readonly string[]): string {
  return LIST.format(names.map(isolated));
}
