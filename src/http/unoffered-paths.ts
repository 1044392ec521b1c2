import { badRequest, notFound, type ApiError } from '../errors/index.js';

/** The reference's endpoints at and below a path that this server does not have, and the reason or another way. */
interface Unoffered {
  readonly at: RegExp;
  readonly why: string;
  readonly status: 400 | 404;
}

/** @param paths of which one is the whole of a path, or is followed by a slash */
function unoffered(paths: string, why: string, status: 400 | 404 = 404): Unoffered {
  return { at: new RegExp(`^(?:${paths})(?:/|$)`), why, status };
}

const UNOFFERED: readonly Unoffered[] = [
  // The wording of the reference, which its clients for developers know.
  unoffered(
    '/api/v1/dev_(?:fetch_api_key|list_users)',
    'Endpoint not available in production.',
    400,
  ),
  unoffered(
    '/api/v1/default_stream_groups',
    'Groups of default channels are not offered: an invitation names the channels of new users (stream_ids).',
  ),
  unoffered(
    '/api/v1/messages/summary',
    'Summaries of topics are not offered: this server uses no language model.',
  ),
  unoffered('/api/v1/remotes', 'This server passes on no push notifications of other servers.'),
  unoffered(
    '/api/v1/push_device',
    'Devices are registered with POST /api/v1/register_client_device and /api/v1/mobile_push/register.',
  ),
  unoffered(
    '/api/v1/users/me/(?:pointer|hotspots|tutorial_status|enter-sends)',
    'This endpoint ended with an earlier release of the protocol.',
  ),
  unoffered(
    '/api/v1/get_auth_backends',
    'This endpoint ended with an earlier release of the protocol: GET /api/v1/server_settings has the authentication methods.',
  ),
  unoffered(
    '/api/v1/fetch_google_client_id',
    'This endpoint ended with an earlier release of the protocol: GET /api/v1/server_settings has the ways to log in.',
  ),
  unoffered(
    '(?:/api/v1)?/compatibility',
    'This endpoint ended with an earlier release of the protocol: GET /api/v1/server_settings has the feature level.',
  ),
  unoffered(
    '/thumbnail',
    'Thumbnails have the addresses that messages name, below /user_uploads/thumbnail; pictures of other servers those below /external_content.',
  ),
  unoffered(
    '(?:/api/v1)?/saml|/complete/saml|/accounts/login/saml',
    'SAML is not offered: single sign-on is by OpenID Connect.',
  ),
  unoffered('/accounts/login', 'The page to log in is at /login/.'),
  unoffered(
    '(?:/api/v1|/json)?/analytics|/stats|/activity|/(?:user|realm|remote|installation)_activity',
    'Statistics of use are not collected: administrators see the figures of the server at /console.',
  ),
  unoffered('/api/v1/report', 'Reports of errors in web clients are not taken.'),
  unoffered('/api/v1/billing|/json/billing|/billing|/upgrade|/plans', 'Nothing is billed here.'),
  unoffered(
    '(?:/api/v1)?/scim',
    'SCIM is not offered: accounts may follow an LDAP directory or single sign-on.',
  ),
];

/** The refusal of a path that leads nowhere: of one that the reference has it says why (requests.md#routing). */
export function refusalOfPath(path: string): ApiError {
  const found = UNOFFERED.find(({ at }) => at.test(path));
  return found ? badRequest(found.why, found.status) : notFound();
}
