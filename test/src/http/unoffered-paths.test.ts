import t from 'tap';
import { refusalOfPath } from '../../../src/http/unoffered-paths.js';
import { startToy } from './toy-server.js';

const NOT_FOUND = { result: 'error', msg: 'Not Found', code: 'BAD_REQUEST' };

/** A request of the reference that leads nowhere here, and a word of what it is answered with. */
const REQUESTS: readonly (readonly [string, string, RegExp, number?])[] = [
  ['POST', '/api/v1/dev_fetch_api_key', /^Endpoint not available in production\.$/, 400],
  ['GET', '/api/v1/dev_list_users', /^Endpoint not available in production\.$/, 400],
  ['POST', '/api/v1/default_stream_groups/create', /an invitation names the channels/],
  ['PATCH', '/api/v1/default_stream_groups/1', /an invitation names the channels/],
  ['DELETE', '/api/v1/default_stream_groups/1', /an invitation names the channels/],
  ['PATCH', '/api/v1/default_stream_groups/1/streams', /an invitation names the channels/],
  ['GET', '/api/v1/messages/summary', /no language model/],
  ['POST', '/api/v1/remotes/push/notify', /of other servers/],
  ['POST', '/api/v1/remotes/server/register', /of other servers/],
  ['POST', '/api/v1/push_device/register', /register_client_device/],
  ['POST', '/api/v1/users/me/pointer', /ended/],
  ['POST', '/api/v1/users/me/hotspots', /ended/],
  ['POST', '/api/v1/users/me/tutorial_status', /ended/],
  ['PATCH', '/api/v1/users/me/enter-sends', /ended/],
  ['GET', '/api/v1/get_auth_backends', /server_settings/],
  ['POST', '/api/v1/report/error', /not taken/],
  ['GET', '/api/v1/billing/plan', /Nothing is billed/],
  ['GET', '/scim/v2/Users', /LDAP/],
  ['POST', '/api/v1/scim/v2/Users', /LDAP/],
  ['GET', '/api/v1/fetch_google_client_id', /server_settings/],
  ['GET', '/compatibility', /feature level/],
  ['GET', '/api/v1/compatibility', /feature level/],
  ['GET', '/thumbnail?url=x&size=full', /addresses that messages name/],
  ['GET', '/saml/metadata.xml', /OpenID Connect/],
  ['GET', '/complete/saml/', /OpenID Connect/],
  ['GET', '/accounts/login/', /at \/login\//],
  ['GET', '/accounts/login/saml/', /OpenID Connect/],
  ['GET', '/stats', /\/console/],
  ['GET', '/stats/realm/x/', /\/console/],
  ['GET', '/activity', /\/console/],
  ['GET', '/user_activity/1/', /\/console/],
  ['GET', '/api/v1/analytics/chart_data', /\/console/],
  ['GET', '/json/analytics/chart_data', /\/console/],
];

// [c:unoffered-why]
void t.test('paths that only the reference has are answered why, before credentials', async (t) => {
  const { port } = await startToy(t);
  for (const [method, path, why, status = 404] of REQUESTS) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    const body = (await response.json()) as { msg: string };
    t.equal(response.status, status, path);
    t.match(body, { result: 'error', code: 'BAD_REQUEST', msg: why }, path);
  }
});

void t.test('all others are not found, however much alike', (t) => {
  const others = [
    '/api/v1/tusk',
    '/api/v1/messages/summary2',
    '/jsonp',
    '/api/v1/users/me/pointers',
  ];
  for (const path of [
    ...others,
    '/api/v1/json',
    '/x/scim',
    '/statistics',
    '/api/v1/dev_fetch_api_keys',
  ]) {
    t.strictSame(refusalOfPath(path).body(), NOT_FOUND, path);
  }
  t.end();
});
