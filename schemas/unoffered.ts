/**
 * Endpoints of features that this server does not offer (endpoints-organization.md#not-offered): most refuse with a
 * clear text, a few work.
 */
import Type from 'typebox';
import { Empty, endpoint, Id, required } from './endpoint.js';
import { MAX_WELCOME_MESSAGE_LENGTH } from './limits.js';
import { ShortText, text } from './text.js';
import { FILE } from './example-values.js';

/** Lists users who consented to the export of their private data. */
export const getRealmExportConsents = endpoint({
  operation: 'get-realm-export-consents',
  method: 'GET',
  path: '/export/realm/consents',
  access: 'administrator',
  summary: 'Get which users allow the export of their private data',
  params: {},
  response: Type.Object({
    export_consents: Type.Array(
      Type.Object({
        user_id: Type.Integer(),
        consented: Type.Boolean(),
        email_address_visibility: Type.Integer(),
      }),
    ),
  }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: [],
});

/** Sends an administrator the welcome message of new users. */
export const testWelcomeMessage = endpoint({
  operation: 'test-welcome-bot-custom-message',
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  access: 'administrator',
  summary: 'Have the Welcome Bot send you a custom greeting',
  params: {
    welcome_message_custom_text: required(text(MAX_WELCOME_MESSAGE_LENGTH), {
      description:
        `The greeting to try, in Markdown, at most ${MAX_WELCOME_MESSAGE_LENGTH} code points; it does not ` +
        'become the setting.',
    }),
  },
  response: Type.Object({ message_id: Type.Integer() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { welcome_message_custom_text: 'Welcome to **Elsinore**' },
  events: ['message'],
});

/** Slash commands of the web client that change settings of one's own. */
export const runZcommand = endpoint({
  operation: 'zcommand',
  method: 'POST',
  path: '/zcommand',
  access: 'user',
  summary: 'Run a slash command that changes a setting of your own',
  params: {
    command: required(ShortText, {
      description:
        'The command with its leading slash: `/dark` or `/night`, `/light` or `/day`, `/fluid-width`, `/fixed-width`, ' +
        'or `/ping`, which does nothing; every other is refused.',
    }),
  },
  response: Empty,
  errors: [],
  example: { command: '/dark' },
  events: ['user_settings'],
});

/** Whether the thumbnails of an uploaded picture are made (endpoints-files.md#files). */
export const getThumbnailStatus = endpoint({
  operation: 'get-thumbnail-status',
  method: 'GET',
  path: '/thumbnail/status/{realm_id}/{file_path+}',
  access: 'user',
  summary: 'Get whether an uploaded picture has its thumbnails',
  params: { realm_id: required(Id), file_path: required(ShortText) },
  response: Type.Object({ has_thumbnail: Type.Boolean() }),
  errors: [],
  example: FILE,
  refusals: [403, 404],
  events: [],
});

/** Refused: a server has one organization. */
export const checkSubdomain = endpoint({
  operation: 'check-subdomain',
  method: 'GET',
  path: '/realm/subdomain/{subdomain}',
  access: 'user',
  summary: 'Refused: this server has one organization',
  params: {
    subdomain: required(ShortText, { description: 'The name a new organization would have.' }),
  },
  response: Empty,
  errors: [],
  example: { subdomain: 'elsinore' },
  events: [],
});
