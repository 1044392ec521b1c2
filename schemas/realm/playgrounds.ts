import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import {
  MAX_LINKIFIER_TEXT_LENGTH,
  MAX_PLAYGROUND_LANGUAGE_LENGTH,
  MAX_PLAYGROUND_NAME_LENGTH,
} from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/**
 * Stored playground: a site that runs code of one language
 * (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields).
 */
export const PlaygroundDocument = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  pygments_language: Type.String(),
  /** RFC 6570, with the one variable `code`. */
  url_template: Type.String(),
});
export type PlaygroundDocument = Static<typeof PlaygroundDocument>;

/** The stored documents of `playground`. */
export const playgroundCollection = collection('playground', PlaygroundDocument);

/** A playground as clients see it (events-organization.md#organization). */
export const PlaygroundObject = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    pygments_language: Type.String(),
    url_template: Type.String(),
  },
  { ...exact, title: 'Playground' },
);

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const addPlayground = endpoint({
  operation: 'add-code-playground',
  method: 'POST',
  path: '/realm/playgrounds',
  access: 'administrator',
  summary: 'Add a playground for code of one language',
  params: {
    name: required(text(MAX_PLAYGROUND_NAME_LENGTH)),
    pygments_language: required(text(MAX_PLAYGROUND_LANGUAGE_LENGTH)),
    url_template: required(text(MAX_LINKIFIER_TEXT_LENGTH), {
      description: 'RFC 6570 URL template with exactly one variable, `code`',
    }),
  },
  response: Type.Object({ id: Type.Integer() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: {
    name: 'Try it',
    pygments_language: 'Python',
    url_template: 'https://play.example.com/{code}',
  },
  events: ['realm_playgrounds'],
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const removePlayground = endpoint({
  operation: 'remove-code-playground',
  method: 'DELETE',
  path: '/realm/playgrounds/{playground_id}',
  access: 'administrator',
  summary: 'Remove a playground',
  params: { playground_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { playground_id: 1 },
  events: ['realm_playgrounds'],
});

/** events-organization.md#organization: all of them. */
export const realmPlaygrounds = Type.Object(
  { type: Type.Literal('realm_playgrounds'), realm_playgrounds: Type.Array(PlaygroundObject) },
  exact,
);

/** All events of playgrounds. */
export const playgroundEvents = events(realmPlaygrounds);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'add-code-playground.name': 'Name of the playground, as clients show it.',
  pygments_language: 'Language of the code blocks it is for, as Pygments names it.',
  playground_id: 'Which playground, by its number from `realm_playgrounds`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'Playground.id': ['Id of the playground.', 1],
  'add-code-playground.id': ['Id of the new playground.', 1],
  'Playground.name': ['Name clients show.', 'Try it'],
  pygments_language: ['Language of the code, as highlighting names it.', 'Python'],
  'Playground.url_template': [
    'RFC 6570 template of the page, with the one variable `code`.',
    'https://play.example.com/{code}',
  ],
  'realm_playgrounds.realm_playgrounds': 'All playgrounds.',
});
