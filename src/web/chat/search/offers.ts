import type { Model } from '../model.js';
import { peopleWith } from '../people/picker.js';
import { say } from '../say.js';
import type { View } from '../view.js';
import type { Option } from '../writing/completion.js';
import { placesWith } from './places.js';
import { operatorOf, queryOf, quoted, VALUES, type Operator } from './query.js';

/** What is offered at once. */
const MOST = 8;
/** What is being written up to the cursor: a value behind its operator, or a word. */
const VALUE = /(?:^|\s)(-?([a-z-]+):(?:"([^"]*)|([^\s"]*)))$/i;
const WORD = /(?:^|\s)(-?)([a-z]*)$/i;

export interface Offer extends Option {
  /** Where it leads; absent where it stands in the search. */
  readonly view?: View;
}

export interface Offers {
  /** Where what is written begins. */
  readonly from: number;
  readonly options: readonly Offer[];
  /** Whether Enter takes the first of them, as values of operators are taken. */
  readonly isValue: boolean;
}

/** What goes on from what is written in the field of the search. */
export function offersAt(model: Model, text: string, cursor: number): Offers {
  const before = text.slice(0, cursor);
  const [, part, name, quotedValue, plain = ''] = VALUE.exec(before) ?? [];
  const value = quotedValue ?? plain;
  const operator = operatorOf(name ?? '');
  if (operator) {
    const begin = part!.slice(0, part!.indexOf(':') + 1);
    const options = valuesOf(model, operator, value.toLowerCase(), before.slice(0, -part!.length))
      .filter((option) => option.text !== value)
      .slice(0, MOST)
      .map((option) => ({ ...option, text: `${begin}${option.text} ` }));
    return { from: cursor - part!.length, options, isValue: operator !== 'topic' };
  }
  const [, sign = '', word = ''] = WORD.exec(before) ?? [];
  const isBegun = sign !== '' || word !== '';
  const isWord = WORD.test(before) && (isBegun || text.trim() === '');
  const operators = (Object.keys(VALUES) as Operator[])
    .filter((one) => isWord && one.startsWith(word.toLowerCase()))
    .map((one) => ({
      name: `${sign}${one}:`,
      sign: '',
      hint: hintOf(one),
      text: `${sign}${one}:`,
    }));
  const isPlain = queryOf(text).filters.length === 0;
  const places = (isPlain ? placesWith(model, text) : []).map(({ view, name, icon }) => ({
    name,
    sign: { icon },
    text: `${icon} ${name}`,
    view,
  }));
  return {
    from: cursor - sign.length - word.length,
    options: [...places, ...operators].slice(0, MOST),
    isValue: false,
  };
}

/** What an operator does, with the value left open. */
function hintOf(operator: Operator): string {
  const open = '…';
  switch (operator) {
    case 'from':
      return say('search.from', { person: open });
    case 'in':
      return say('search.in', { channel: open });
    case 'topic':
      return say('search.topic', { topic: open });
    case 'dm':
      return say('search.dm', { person: open });
    case 'before':
      return say('search.before', { day: open });
    case 'after':
      return say('search.after', { day: open });
    default:
      return Object.keys(VALUES[operator]).join(', ');
  }
}

/** Values as they stand behind an operator. @param before what is written before it */
function valuesOf(model: Model, operator: Operator, wanted: string, before: string): Option[] {
  switch (operator) {
    case 'from':
    case 'dm':
      return people(model, wanted);
    case 'in':
      return [
        ...[...model.channels.values()].filter(({ is_archived }) => !is_archived),
        ...[...model.channelNames.values()].map((name) => ({ name, invite_only: false })),
      ]
        .filter(({ name }) => name.toLowerCase().includes(wanted.replace(/^#/, '')))
        .map(({ name, invite_only }) => ({
          name,
          sign: { icon: invite_only ? 'lock' : 'hash' },
          text: quoted(name),
        }));
    case 'topic':
      return topics(model, wanted, before);
    case 'before':
    case 'after':
      return days()
        .filter((day) => day.startsWith(wanted))
        .map((day) => ({ name: day, sign: '', text: day }));
    default:
      return Object.entries(VALUES[operator])
        .filter(([value]) => value.startsWith(wanted))
        .map(([value, id]) => ({ name: value, sign: '', hint: say(id), text: value }));
  }
}

function people(model: Model, wanted: string): Option[] {
  const found = peopleWith(model, wanted.replace(/^@/, ''), MOST);
  return found.map(({ user_id, full_name, delivery_email }) => {
    const isOne = found.filter((one) => one.full_name === full_name).length === 1;
    // Of two with one name, the number says who is meant.
    const text = quoted(isOne ? full_name : `${full_name}|${user_id}`);
    return { name: full_name, sign: '@', hint: delivery_email ?? undefined, text };
  });
}

/** Topics of the channel that is named before, or is open. */
function topics(model: Model, wanted: string, before: string): Option[] {
  const named = queryOf(before).filters.findLast(({ operator }) => operator === 'in')?.value;
  const { view } = model;
  const open = view.kind === 'channel' ? view.channelId : undefined;
  const channel =
    named === undefined
      ? open
      : [...model.channels.values()].find(
          ({ name }) => name.toLowerCase() === named.replace(/^#/, '').toLowerCase(),
        )?.stream_id;
  if (channel === undefined) return [];
  model.topics.load(channel);
  return (
    model.topics
      .of(channel)
      // Quotes end at the first quotation mark, and the empty topic has no name to write.
      .filter(({ name }) => name.toLowerCase().includes(wanted) && !/^$|"/.test(name))
      .map(({ name }) => ({ name, sign: '›', text: quoted(name) }))
  );
}

/** Today, a week, a month and a year ago. */
function days(): string[] {
  return (
    [
      [0, 0, 0],
      [0, 0, 7],
      [0, 1, 0],
      [1, 0, 0],
    ] as const
  ).map(([years, months, back]) => {
    const now = new Date();
    const at = new Date(now.getFullYear() - years, now.getMonth() - months, now.getDate() - back);
    const [month, day] = [at.getMonth() + 1, at.getDate()].map((one) =>
      String(one).padStart(2, '0'),
    );
    return `${at.getFullYear()}-${month}-${day}`;
  });
}
