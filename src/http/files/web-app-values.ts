import { preferredLanguage } from '../../languages/preferred.js';
import type { Organization } from '../../organization/state/organization.js';
import type { SessionCookies } from '../../resources/accounts/session-cookies.js';
import type { Caller } from '../../resources/kernel/route.js';
import { html } from '../../services/text/html.js';
import { Markup } from '../../services/web-app/expression.js';
import type { WebApp } from '../../services/web-app/web-app.js';

/** Where who is not logged in is led. */
export const LOGIN_PATH = '/login/';
/** Days of presence that the app shows: it says of others that they did not come for a year, and checks the number. */
export const PRESENCE_DAYS = 365;

/** What the values depend on. */
interface Sources {
  readonly webApp: WebApp;
  readonly org: Organization;
  readonly sessions: SessionCookies;
}

/** What of a request's head the page depends on. */
export interface Sent {
  readonly language: string;
  readonly isFirefoxAndroid: boolean;
}

/** The values that the templates see. */
export async function valuesOf({ org, webApp, sessions }: Sources, caller: Caller, sent: Sent) {
  const { user, sessionId } = caller;
  const setting = (name: 'color_scheme' | 'default_language') =>
    org.settings.value(user.user_id, name);
  const codes = webApp.languages.map(({ code }) => code);
  const chosen = String(setting('default_language'));
  // English is what nobody chose.
  const language = chosen === 'en' ? preferredLanguage(sent.language, codes) : chosen;
  const translation = await webApp.translationTo(language);
  const token = sessions.token(org.sessions.get(sessionId!)!);
  const { name: realm_name, rendered_description } = org.realm.current;
  return {
    ...{ LANGUAGE_CODE: language, color_scheme: setting('color_scheme'), realm_name },
    translation,
    user_profile: { full_name: user.full_name, realm: { name: realm_name } },
    csrf_input: new Markup(
      html`<input type="hidden" name="csrfmiddlewaretoken" value="${token}" />`.text,
    ),
    ...{ embedded: false, has_web_public_streams: false, enable_gravatar: false },
    ...{ s3_avatar_public_url_prefix: '', is_firefox_android: sent.isFirefoxAndroid },
    default_page_params: {
      ...{ page_type: 'default', development_environment: false },
      ...{ request_language: language, server_sentry_dsn: null },
    },
    page_params: {
      ...{ page_type: 'home', request_language: language, test_suite: false },
      ...{ login_page: LOGIN_PATH, apps_page_url: 'https://zulip.com/apps/' },
      ...{ insecure_desktop_app: false, warn_no_email: !org.site.mails, corporate_enabled: false },
      ...{ is_spectator: false, needs_tutorial: false, embedded_bots_enabled: false },
      ...{ presence_history_limit_days_for_web_app: PRESENCE_DAYS, show_try_zulip_modal: false },
      ...{ realm_rendered_description: rendered_description },
      ...{ non_workplace_pricing_eligible: false, is_cloud_realm_with_discounted_plan: false },
      ...{ first_in_realm: false, prompt_for_invites: false, furthest_read_time: null },
      ...{
        show_billing: false,
        show_plans: false,
        show_remote_billing: false,
        show_webathena: false,
      },
      ...{ sponsorship_pending: false, promote_sponsoring_zulip: false, two_fa_enabled: false },
      two_fa_enabled_user: false,
      bot_types: [
        { type_id: 1, name: 'Generic bot', allowed: true },
        { type_id: 2, name: 'Incoming webhook', allowed: true },
        { type_id: 3, name: 'Outgoing webhook', allowed: true },
      ],
      language_list: webApp.languages,
      translation_data: translation.data,
    } as Readonly<Record<string, unknown>>,
  };
}
