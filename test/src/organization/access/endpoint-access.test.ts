import t from 'tap';
import { linkBackup } from '../../../../schemas/administration/server.js';
import { ALL_ENDPOINTS } from '../../../../schemas/endpoints.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { checkAccess, couldCall } from '../../../../src/organization/access/endpoint-access.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

void t.test('a bot, whatever its role, does nothing in the console', (t) => {
  const world = new TestOrganization();
  const bot = world.user({ is_bot: true, bot_type: 1, role: ROLE.owner });
  const owner = world.user({ role: ROLE.owner });
  const console = ALL_ENDPOINTS.filter(({ path }) => path.startsWith('/realm/console'));
  t.ok(console.length > 15);
  for (const endpoint of console) {
    const message = 'This endpoint does not accept bot requests.';
    t.throws(() => checkAccess(endpoint, bot), { message }, endpoint.operation);
    t.doesNotThrow(() => checkAccess(endpoint, owner));
  }
  t.end();
});

void t.test('what somebody got counts as long as they could get it', (t) => {
  const world = new TestOrganization();
  const could = (fields: object) => couldCall(linkBackup, world.user(fields));
  t.equal(could({ role: ROLE.owner }), true);
  t.equal(could({ role: ROLE.owner, is_active: false }), false);
  t.equal(could({ role: ROLE.administrator }), false);
  t.equal(couldCall(linkBackup, undefined), false);
  t.end();
});
