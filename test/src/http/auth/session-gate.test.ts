import t from 'tap';
import { SessionGate } from '../../../../src/http/auth/session-gate.js';
import { beginSession } from '../../../../src/organization/accounts/sessions.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';
import { sessionParts } from '../../../fixtures/session-parts.js';
import { startToy } from '../toy-server.js';

/** An organization at one of its nodes. */
class Node extends LivingOrganization {
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly sessions = sessionParts(this.org).sessions;
  readonly used: number[] = [];
  readonly gate = new SessionGate(
    this.sessions,
    {
      checked: new Set<number>(),
      record: () => undefined,
      recordSession: ({ id }) => void this.used.push(id),
    },
    () => this.org.site.url,
  );
}

void t.test('a node that follows learns of a session before it refuses its cookie', async (t) => {
  const [leader, follower] = [new Node(), new Node()];
  const session = leader.transact((tx) => beginSession(tx, leader.hamlet.user_id, 'browser'));
  const begun = leader.sessions.begun(session, '');
  const Cookie = begun.map((line) => line.split(';')[0]).join('; ');
  const headers = { Cookie, 'X-CSRFToken': leader.sessions.token(session) };
  let caughtUp = 0;
  const { port } = await startToy(t, {
    reached: () => null,
    sessions: {
      gate: follower.gate,
      routes: [],
      catchUp: async () => {
        caughtUp += 1;
        if (caughtUp === 1) follower.transact((tx) => tx.org.sessions.insert(session));
      },
    },
  });
  const get = async (path: string) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
  t.equal(await get('/json/messages'), 200);
  t.equal(caughtUp, 1);
  t.equal(await get('/json/messages'), 200);
  t.equal(caughtUp, 1, 'it is known from then on');
  t.strictSame(follower.used, [session.id, session.id]);
  follower.transact((tx) => tx.org.sessions.delete(session.id));
  t.equal(await get('/json/messages'), 401, 'one that has ended is not there either');
  t.equal(caughtUp, 2);
  t.equal(await get('/api/v1/messages'), 401, 'and the API knows no cookie');
});
