import type { Catalogs, Message, MessageValues, Say } from './catalogs.js';

/** What says the messages of an area. @param messages by id, as they were compiled */
export function sayer<A extends keyof Catalogs>(
  messages: Readonly<Record<string, Message>>,
): Say<A> {
  const say = (id: string, values?: MessageValues): string => messages[id]!(values);
  return say as unknown as Say<A>;
}

/** Around the name of a part in a message that is not split yet; in no text of people (private use). */
const [OPEN, CLOSE] = ['\uE000', '\uE001'];

/**
 * Says a message of which some values are no text, such as a link or a name in bold: its texts and these values, in
 * the order of the language.
 * @param values numbers and texts
 * @param parts what stands for the other arguments of the message
 */
export function fill<A extends keyof Catalogs, P>(
  say: { readonly area?: A },
  id: keyof Catalogs[NoInfer<A>],
  parts: Readonly<Record<string, P>>,
  values: MessageValues = {},
): (string | P)[] {
  const marks = Object.fromEntries(Object.keys(parts).map((name) => [name, OPEN + name + CLOSE]));
  const sayAny = say as unknown as (id: keyof Catalogs[A], values: MessageValues) => string;
  return sayAny(id, { ...values, ...marks })
    .split(/\uE000(\w+)\uE001/)
    .map((piece, i) => (i % 2 === 1 ? parts[piece]! : piece))
    .filter((piece) => piece !== '');
}
