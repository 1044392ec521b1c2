import { languageFor, type Language } from '../../languages/languages.js';
import type { Organization } from '../state/organization.js';

/* In which language the server writes to whom (settings.md#user-settings, `default_language`). */

/** What somebody has chosen. */
export function languageOfUser(org: Organization, userId: number): Language {
  return languageFor(org.settings.value(userId, 'default_language'));
}

/** Of what everybody reads, and of what goes to people who have no account. */
export function languageOfOrganization(org: Organization): Language {
  return languageFor(org.realm.current.default_language);
}
