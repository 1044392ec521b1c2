import { consolePages } from './console.js';
import { elsewherePages } from './elsewhere.js';
import { emailChangePages } from './email-change.js';
import { joinCallPages } from './join-call.js';
import { joinPages } from './join.js';
import { loginPages } from './login.js';
import type { WebPage } from './page.js';
import type { PageParts } from './parts.js';
import { passwordResetPages } from './password-reset.js';
import { signUpPages } from './sign-up.js';
import { singleSignOnPages } from './single-sign-on.js';
import { twoFactorPages } from './two-factor.js';
import { unsubscribePages } from './unsubscribe.js';

/** All pages outside the API. */
export function allPages(parts: PageParts): WebPage[] {
  return [
    ...signUpPages(parts),
    ...joinPages(parts),
    ...joinCallPages(parts),
    ...emailChangePages(parts),
    ...passwordResetPages(parts),
    ...loginPages(parts),
    ...singleSignOnPages(parts),
    ...consolePages(parts),
    ...twoFactorPages(parts),
    ...unsubscribePages(parts),
    ...elsewherePages(parts),
  ];
}
