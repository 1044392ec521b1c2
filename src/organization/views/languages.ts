import type { Say } from '../../languages/catalogs.js';
import { languageFor, type Language } from '../../languages/languages.js';
import { texts } from '../../languages/texts.js';
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

/**
 * What a new account has set of the language that its browser asks for: nothing where the organization's is the same, so
 * that it costs no document.
 * @param language null where it asks for none that there is
 */
export function chosenLanguage(
  org: Organization,
  language: Language | null,
): { readonly default_language?: string } {
  return language === null || language === languageOfOrganization(org)
    ? {}
    : { default_language: language };
}

/** The words of bots in direct messages to somebody, and of pushes. */
export function noticesTo(org: Organization, userId: number): Say<'notices'> {
  return texts('notices', languageOfUser(org, userId));
}

/** The words of bots in channels, which many read. */
export function noticesToAll(org: Organization): Say<'notices'> {
  return texts('notices', languageOfOrganization(org));
}
