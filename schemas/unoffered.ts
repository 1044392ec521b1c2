/**
 * Endpoints of features that this server does not offer (endpoints-organization.md#not-offered): most refuse with a
 * clear text, a few work.
 */
import Type from 'typebox';
import { Empty, endpoint, Id, required } from './endpoint.js';
import { MAX_WELCOME_MESSAGE_LENGTH } from './limits.js';
import { ShortText, text } from './text.js';
import { FILE } from './example-values.js';

/** Exports made over the API: none, because exports are made with the command line. */
export const getRealmExports = endpoint({
  operation: 'get-realm-exports',
  method: 'GET',
  path: '/export/realm',
  access: 'administrator',
  summary: 'List the exports that were made over the API (none: see `parley export`)',
  params: {},
  response: Type.Object({ exports: Type.Array(Type.Object({ id: Type.Integer() })) }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: [],
});

/** Refused: `parley export` on the server writes the whole store. */
export const exportRealm = endpoint({
  operation: 'export-realm',
  method: 'POST',
  path: '/export/realm',
  access: 'administrator',
  summary: 'Refused: exports are made with `parley export` on the server',
  params: {},
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: [],
});

/** Refused: no exports exist. */
export const deleteRealmExport = endpoint({
  operation: 'delete-realm-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  access: 'administrator',
  summary: 'Delete an export (there are none over the API)',
  params: {
    export_id: required(Id, { description: 'Number of the export, from the list of exports.' }),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { export_id: 1 },
  events: [],
});

/** Lists users who consented to the export of their private data. */
export const getRealmExportConsents = endpoint({
  operation: 'get-realm-export-consents',
  method: 'GET',
  path: '/export/realm/consents',
  access: 'administrator',
  summary: 'Get who allows the export of their private data',
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

const provider = {
  provider: required(ShortText, {
    description:
      'The service that would hold the call: `zoom`, `webex`, `bigbluebutton`, `nextcloud_talk` or ' +
      '`constructorgroups`.',
  }),
};

/** Refused: no call service can be configured; Jitsi needs no server. */
export const createVideoCall = endpoint({
  operation: 'create-video-call',
  method: 'POST',
  path: '/calls/{provider}/create',
  access: 'user',
  summary: 'Refused: no video call service is configured',
  params: provider,
  response: Empty,
  errors: [],
  example: { provider: 'zoom' },
  events: [],
});

/** The same for services that clients ask with GET. */
export const getVideoCall = endpoint({
  operation: 'get-video-call',
  method: 'GET',
  path: '/calls/{provider}/create',
  access: 'user',
  summary: 'Refused: no video call service is configured',
  params: provider,
  response: Empty,
  errors: [],
  example: { provider: 'bigbluebutton' },
  events: [],
});

/** Sends an administrator the welcome message of new users. */
export const testWelcomeMessage = endpoint({
  operation: 'test-welcome-bot-custom-message',
  method: 'POST',
  path: '/realm/test_welcome_bot_custom_message',
  access: 'administrator',
  summary: 'Have the Welcome Bot send oneself a custom greeting',
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

/** Slash commands of the web client; only `ping` works. */
export const runZcommand = endpoint({
  operation: 'zcommand',
  method: 'POST',
  path: '/zcommand',
  access: 'user',
  summary: 'Run a slash command: `/ping`, which does nothing',
  params: {
    command: required(ShortText, {
      description: 'The command with its leading slash. `/ping` succeeds; every other is refused.',
    }),
  },
  response: Empty,
  errors: [],
  example: { command: '/ping' },
  events: [],
});

/** Whether a thumbnail of an uploaded picture exists: never, so clients show the picture. */
export const getThumbnailStatus = endpoint({
  operation: 'get-thumbnail-status',
  method: 'GET',
  path: '/thumbnail/status/{realm_id}/{file_path+}',
  access: 'user',
  summary: 'Ask whether an uploaded file has a thumbnail (none has)',
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
