import { avatarRedirect } from '../../../schemas/users/avatars.js';
import type { Organization } from '../../organization/state/organization.js';
import { avatarUrl, type AvatarSize } from '../../organization/views/user-view.js';
import { userNamed } from '../../resources/users/avatars.js';
import type { SpecialRoute } from '../server.js';

/** `GET /avatar/{id or email}[/medium]`, at the root (endpoints-users.md#read-users). */
export function avatarRoutes(org: Organization): SpecialRoute[] {
  return (['normal', 'medium'] as const).map((size) => redirect(org, size));
}

function redirect(org: Organization, size: AvatarSize): SpecialRoute {
  return {
    endpoint: avatarRedirect[size],
    atRoot: true,
    respond: (exchange, { caller, params }) => {
      const user = userNamed(org, caller!.user, String(params.user_id_or_email));
      const headers = { Location: avatarUrl(org, user, size), 'Cache-Control': 'no-cache' };
      exchange.replyRaw(302, 'text/plain', headers, '');
    },
  };
}
