import * as descriptors from '../../schemas/unoffered.js';
import { badRequest } from '../errors/index.js';
import { sendAsSystem, systemBot } from '../organization/messages/sending/notification-bot.js';
import type { PresenceTracker } from '../organization/presence/presence-tracker.js';
import { changeOwnSettings, type SettingValues } from '../organization/users/settings-change.js';
import type { Organization } from '../organization/state/organization.js';
import type { Markdown } from '../services/markdown/markdown.js';
import { handle, type AnyHandler } from './kernel/handler.js';
import { fileAt } from './uploads/uploads.js';

/** Slash commands, and the setting that each changes. */
const COMMANDS: Readonly<Record<string, SettingValues>> = {
  ping: {},
  dark: { color_scheme: 2 },
  night: { color_scheme: 2 },
  light: { color_scheme: 3 },
  day: { color_scheme: 3 },
  'fluid-width': { fluid_layout_width: true },
  'fixed-width': { fluid_layout_width: false },
};

interface Parts {
  readonly markdown: Markdown;
  readonly presence: PresenceTracker;
}

/**
 * Endpoints of features that are not offered (endpoints-organization.md#not-offered): most refuse with a clear text.
 */
export function unofferedHandlers({ markdown, presence }: Parts): readonly AnyHandler[] {
  return [
    handle(descriptors.getRealmExportConsents, ({ org }) => ({ export_consents: consents(org) })),
    handle(descriptors.testWelcomeMessage, (tx, { user, params }) => {
      const text = params.welcome_message_custom_text;
      const bot = systemBot(tx.org, 'welcome-bot');
      return { message_id: sendAsSystem(tx, markdown, bot, { users: [user] }, text) };
    }),
    handle(descriptors.runZcommand, (tx, { user, clientName, params: { command } }) => {
      if (!command.startsWith('/')) {
        throw badRequest('There should be a leading slash in the zcommand.');
      }
      const name = command.slice(1).trim();
      if (!Object.hasOwn(COMMANDS, name)) throw badRequest(`No such command: ${name}`);
      changeOwnSettings(tx, user, COMMANDS[name]!, { presence, client: clientName });
      return {};
    }),
    handle(descriptors.getThumbnailStatus, ({ org }, { user, params }) => {
      const { image } = fileAt(org, user, params.realm_id, params.file_path);
      return { has_thumbnail: image?.state === 'made' };
    }),
    handle(descriptors.checkSubdomain, () => {
      throw badRequest('Subdomain is not available: this server has one organization.');
    }),
  ];
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
