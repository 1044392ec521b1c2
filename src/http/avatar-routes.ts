import { avatarRedirect } from '../../schemas/avatars.js';
import type { Organization } from '../organization/organization.js';
import { avatarUrl, type AvatarSize } from '../organization/user-view.js';
import { userNamed } from '../resources/avatars.js';
import type { SpecialRoute } from './server.js';

/** `GET /avatar/{id or email}[/medium]`, at the root (endpoints.md section C.2). */
export function avatarRoutes(org: Organization): SpecialRoute[] {
  return (['normal', 'medium'] as const).map((size) => redirect(org, size));
}

function redirect(org: Organization, size: AvatarSize): SpecialRoute {
  return {
    endpoint: avatarRedirect[size],
    atRoot: true,
    hold: (exchange, { caller, params }) => {
      const user = userNamed(org, caller!.user, String(params.user_id_or_email));
      const headers = { Location: avatarUrl(org, user, size), 'Cache-Control': 'no-cache' };
      exchange.replyRaw(302, 'text/plain', headers, '');
    },
  };
}
