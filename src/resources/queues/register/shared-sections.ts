import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import type { Organization } from '../../../organization/state/organization.js';
import { realmSection } from './realm-section.js';
import { WEBHOOK_SECRET } from '../../../organization/users/bot-config.js';
import { ALL_INTEGRATIONS } from '../../../services/hooks/integrations.js';

/** Words too common to search for. */
const STOP_WORDS = (
  'a about after all also am an and any are as at be been but by can could did do does for from ' +
  'had has have he her him his how i if in into is it its just me more my no not of on or our out ' +
  'she so some than that the their them then there these they this to up us was we were what when ' +
  'where which who will with would you your'
).split(' ');

interface RealmText {
  readonly realm: RealmDocument;
  readonly text: Buffer;
}

const realmTexts = new WeakMap<Organization, RealmText>();

/** The section `realm`, encoded once per version of the organization's document. */
function realmText(org: Organization): Buffer {
  const realm = org.realm.current;
  let cached = realmTexts.get(org);
  if (cached?.realm !== realm) {
    realmTexts.set(org, (cached = { realm, text: fieldsText(realmSection(org)) }));
  }
  return cached.text;
}

/** The fields of an object, each after a comma. */
function fieldsText(fields: Record<string, unknown>): Buffer {
  return Buffer.from(`,${JSON.stringify(fields).slice(1, -1)}`);
}

function constant(fields: Record<string, unknown>) {
  const text = fieldsText(fields);
  return () => text;
}

/** `realm_incoming_webhook_bots` (register.md#sections): the integrations, with what a bot for one can be given. */
export const incomingWebhookBots = ALL_INTEGRATIONS.map(
  ({ name, displayName, events, signature }) => ({
    name,
    display_name: displayName,
    all_event_types: events,
    ...(signature
      ? { config_options: [{ key: WEBHOOK_SECRET, label: 'Secret', validator: 'check_string' }] }
      : {}),
    url_options: [],
  }),
);

/** Sections that are long and the same for everybody, as text, by the name that fetches them. */
export const SHARED_SECTIONS: Readonly<Record<string, (org: Organization) => Buffer>> = {
  realm: realmText,
  realm_incoming_webhook_bots: constant({ realm_incoming_webhook_bots: incomingWebhookBots }),
  stop_words: constant({ stop_words: STOP_WORDS }),
};
