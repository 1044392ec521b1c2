import type { Model } from '../model.js';
import { Icon } from '../parts/icon.js';
import { say } from '../say.js';
import { dateOf } from '../times.js';
import { addressOf, isolated, listText, type View } from '../view.js';
import { channelOf, personOf } from './asked.js';
import { placesWith } from './places.js';
import { dayAt, queryOf, VALUES, without, type Filter, type Query } from './query.js';

/** What a search is narrowed by, to leave out one by one, and people and channels that are named as its words say. */
export function Filters({ model, text }: { model: Model; text: string }) {
  const query = queryOf(text);
  const { filters, words } = query;
  const places = filters.length === 0 ? placesWith(model, words) : [];
  if (filters.length + places.length === 0) return null;
  return (
    <p class="chips filters" role="group" aria-label={say('search.filters')}>
      {filters.map((filter) => {
        const rest = without(query, filter);
        const next: View = rest === '' ? { kind: 'home' } : { kind: 'search', text: rest };
        const name = filterText(model, filter);
        return (
          <button
            key={filter.text}
            aria-label={say('search.leave-out', { filter: name })}
            onClick={() => model.go(next)}
          >
            {name} ×
          </button>
        );
      })}
      {places.map(({ view, name, icon }) => (
        <a key={addressOf(view)} href={addressOf(view)}>
          <Icon name={icon} /> <bdi>{name}</bdi>
        </a>
      ))}
    </p>
  );
}

/** All of a search in words. */
export function askedText(model: Model, text: string): string {
  const { filters, words }: Query = queryOf(text);
  const parts = filters.map((filter) => filterText(model, filter));
  return listText(words === '' ? parts : [words, ...parts]);
}

function filterText(model: Model, filter: Filter): string {
  const text = plainText(model, filter);
  return filter.negated ? say('search.not', { filter: text }) : text;
}

function plainText(model: Model, { operator, value }: Filter): string {
  switch (operator) {
    case 'from':
      return say('search.from', { person: isolated(personName(model, value)) });
    case 'dm':
      return say('search.dm', { person: isolated(personName(model, value)) });
    case 'in':
      return say('search.in', { channel: isolated(channelName(model, value)) });
    case 'topic':
      return say('search.topic', { topic: isolated(value) });
    case 'before':
      return say('search.before', { day: dateOf(dayAt(value)!) });
    case 'after':
      return say('search.after', { day: dateOf(dayAt(value)!) });
    case 'has':
      return say(VALUES.has[value as keyof typeof VALUES.has]);
    case 'is':
      return say(VALUES.is[value as keyof typeof VALUES.is]);
  }
}

function personName(model: Model, value: string): string {
  try {
    const id = personOf(model, value);
    return typeof id === 'number' ? model.nameOf(id) : id;
  } catch {
    return value;
  }
}

function channelName(model: Model, value: string): string {
  try {
    return model.channelName(channelOf(model, value));
  } catch {
    return value;
  }
}
