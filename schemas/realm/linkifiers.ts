import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import {
  Empty,
  endpoint,
  Id,
  IdList,
  nullable,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { LINKIFIER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_ALTERNATIVE_TEMPLATES, MAX_LINKIFIER_TEXT_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/** Stored linkifier: a pattern whose matches in messages become links (specification-endpoints.md#add-linkifier). */
export const LinkifierDocument = Type.Object({
  id: Type.Integer(),
  /** Position; smaller ones are applied first. */
  order: Type.Integer(),
  pattern: Type.String(),
  url_template: Type.String(),
  example_input: nullable(Type.String()),
  reverse_template: nullable(Type.String()),
  alternative_url_templates: Type.Array(Type.String()),
});
export type LinkifierDocument = Static<typeof LinkifierDocument>;

/** The stored documents of `linkifier`. */
export const linkifierCollection = collection('linkifier', LinkifierDocument);

/** A linkifier as clients see it (specification-resources.md#other-resources). */
export const LinkifierObject = Type.Object(
  {
    id: Type.Integer(),
    pattern: Type.String(),
    url_template: Type.String(),
    example_input: nullable(Type.String()),
    reverse_template: nullable(Type.String()),
    alternative_url_templates: Type.Array(Type.String()),
  },
  { ...exact, title: 'Linkifier' },
);

const LinkifierText = text(MAX_LINKIFIER_TEXT_LENGTH);
const Alternatives = Type.Array(LinkifierText, { maxItems: MAX_ALTERNATIVE_TEMPLATES });

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const getLinkifiers = endpoint({
  operation: 'get-linkifiers',
  method: 'GET',
  path: '/realm/linkifiers',
  access: 'user',
  summary: 'Get the linkifiers of the organization, in their order',
  params: {},
  response: Type.Object({ linkifiers: Type.Array(LinkifierObject) }),
  errors: [],
  events: [],
  level: 471,
});

/** specification-endpoints.md#add-linkifier. */
export const addLinkifier = endpoint({
  operation: 'add-linkifier',
  method: 'POST',
  path: '/realm/filters',
  access: 'administrator',
  summary: 'Add a linkifier',
  params: {
    pattern: required(LinkifierText, {
      description: 'Regular expression (RE2) with named groups of the form (?P<name>...)',
    }),
    url_template: required(LinkifierText, {
      description: 'RFC 6570 URL template; named groups are inserted as {name}',
    }),
    example_input: optional(nullable(LinkifierText), {
      nullMeansAbsent: true,
      description: 'Text that matches the pattern; needed for a reverse template',
    }),
    reverse_template: optional(nullable(LinkifierText), {
      nullMeansAbsent: true,
      description: 'Template with {variable} that gives the example input back',
    }),
    alternative_url_templates: withDefault(Alternatives, [], {
      example: ['https://old-tracker.example.com/{id}'],
      description: 'Further RFC 6570 templates, for reverse linkification only',
    }),
  },
  response: Type.Object({ id: Type.Integer() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { ...LINKIFIER, example_input: '#123', reverse_template: '#{id}' },
  events: ['realm_linkifiers'],
  level: 471,
});

/** specification-endpoints.md#update-linkifier; `example_input` is accepted as by existing servers. */
export const updateLinkifier = endpoint({
  operation: 'update-linkifier',
  method: 'PATCH',
  path: '/realm/filters/{filter_id}',
  access: 'administrator',
  summary: 'Change a linkifier',
  params: {
    filter_id: required(Id),
    pattern: required(LinkifierText),
    url_template: required(LinkifierText),
    example_input: optional(nullable(LinkifierText), { nullMeansAbsent: true }),
    reverse_template: optional(nullable(LinkifierText), {
      nullMeansAbsent: true,
      description: 'An empty text removes it',
    }),
    alternative_url_templates: optional(Alternatives),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { filter_id: 1, ...LINKIFIER },
  events: ['realm_linkifiers'],
  level: 471,
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const removeLinkifier = endpoint({
  operation: 'remove-linkifier',
  method: 'DELETE',
  path: '/realm/filters/{filter_id}',
  access: 'administrator',
  summary: 'Remove a linkifier',
  params: { filter_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { filter_id: 1 },
  events: ['realm_linkifiers'],
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const reorderLinkifiers = endpoint({
  operation: 'reorder-linkifiers',
  method: 'PATCH',
  path: '/realm/linkifiers',
  access: 'administrator',
  summary: 'Change the order of the linkifiers',
  params: { ordered_linkifier_ids: required(IdList) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { ordered_linkifier_ids: [1] },
  events: ['realm_linkifiers'],
});

/** events-organization.md#organization: all of them, in their order. */
export const realmLinkifiers = Type.Object(
  {
    type: Type.Literal('realm_linkifiers'),
    realm_linkifiers: Type.Array(LinkifierObject),
  },
  exact,
);

/** All events of linkifiers. */
export const linkifierEvents = events(realmLinkifiers);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  filter_id: 'Which linkifier, by its number from `GET /realm/linkifiers`.',
  pattern:
    'Regular expression with named groups such as `(?P<id>[0-9]+)`, for what is turned into a link.',
  example_input:
    'Text that the pattern matches; needed with `reverse_template`, which is checked with it.',
  alternative_url_templates: [
    'Further RFC 6570 templates whose links are turned back into text.',
    ['https://old-tracker.example.com/{id}'],
  ],
  ordered_linkifier_ids: 'Ids of all linkifiers, in the order in which they are tried.',
  order: 'Ids of all of them, in the order in which they are shown.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'Linkifier.id': ['Id of the linkifier.', 1],
  'add-linkifier.id': ['Id of the new linkifier.', 1],
  'Linkifier.pattern': ['Regular expression (RE2) whose matches become links.', LINKIFIER.pattern],
  'Linkifier.url_template': [
    'RFC 6570 template of the link, with the named groups of the pattern.',
    LINKIFIER.url_template,
  ],
  'Linkifier.example_input': [
    'A text that matches the pattern; null without one. Since level 471.',
    '#123',
  ],
  'Linkifier.reverse_template': [
    'How a link becomes a short text again; null where it does not. Since level 471.',
    '#{id}',
  ],
  'Linkifier.alternative_url_templates': ['Further templates whose links become short texts.', []],
  linkifiers: 'Linkifiers in the order in which they are tried.',
  'realm_linkifiers.realm_linkifiers': 'All linkifiers, in the order in which they are tried.',
});
