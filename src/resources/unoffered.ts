import * as descriptors from '../../schemas/unoffered.js';
import { badRequest } from '../errors.js';
import { sendAsSystem, systemBot } from '../organization/messages/sending/notification-bot.js';
import type { Organization } from '../organization/state/organization.js';
import type { Markdown } from '../services/markdown/markdown.js';
import { handle, type AnyHandler } from './kernel/handler.js';
import { fileAt } from './uploads/uploads.js';

/** Services for video calls that clients may ask for, as their users know them. */
const CALL_SERVICES: Readonly<Record<string, string>> = {
  zoom: 'Zoom',
  webex: 'Webex',
  bigbluebutton: 'BigBlueButton',
  nextcloud_talk: 'Nextcloud Talk',
  constructorgroups: 'Constructor Groups',
};

/** Endpoints of features that are not offered (endpoints-organization.md#not-offered): most refuse with a clear text. */
export function unofferedHandlers(markdown: Markdown): readonly AnyHandler[] {
  return [
    handle(descriptors.getRealmExports, () => ({ exports: [] })),
    handle(descriptors.exportRealm, () => {
      throw badRequest('Exports over the API are not offered: run "parley export" on the server.');
    }),
    handle(descriptors.deleteRealmExport, () => {
      throw badRequest('Invalid data export ID');
    }),
    handle(descriptors.getRealmExportConsents, ({ org }) => ({ export_consents: consents(org) })),
    handle(descriptors.createVideoCall, (_tx, { params }) => refuseCall(params.provider)),
    handle(descriptors.getVideoCall, (_tx, { params }) => refuseCall(params.provider)),
    handle(descriptors.testWelcomeMessage, (tx, { user, params }) => {
      const text = params.welcome_message_custom_text;
      const bot = systemBot(tx.org, 'welcome-bot');
      return { message_id: sendAsSystem(tx, markdown, bot, { users: [user] }, text) };
    }),
    handle(descriptors.runZcommand, (_tx, { params: { command } }) => {
      if (!command.startsWith('/')) {
        throw badRequest('There should be a leading slash in the zcommand.');
      }
      const name = command.slice(1).trim();
      if (name !== 'ping') throw badRequest(`No such command: ${name}`);
      return {};
    }),
    handle(descriptors.getThumbnailStatus, ({ org }, { user, params }) => {
      fileAt(org, user, params.realm_id, params.file_path);
      return { has_thumbnail: false };
    }),
    handle(descriptors.checkSubdomain, () => {
      throw badRequest('Subdomain is not available: this server has one organization.');
    }),
  ];
}

function refuseCall(provider: string): never {
  const service = Object.hasOwn(CALL_SERVICES, provider) ? CALL_SERVICES[provider]! : 'Video calls';
  throw badRequest(`${service} ${service === 'Video calls' ? 'are' : 'is'} not configured.`);
}

/** People with an account that works, by id. */
function consents(org: Organization) {
  return [...org.users.values()]
    .filter((user) => user.is_active && !user.is_bot)
    .map(({ user_id }) => ({
      user_id,
      consented: org.settings.value(user_id, 'allow_private_data_export'),
      email_address_visibility: org.settings.value(user_id, 'email_address_visibility'),
    }));
}
