import t from 'tap';
import { serviceUnavailable } from '../../../../../src/errors/index.js';
import { ActivityTracker } from '../../../../../src/organization/presence/activity-tracker.js';
import { latestActivity } from '../../../../../src/organization/views/subscription-view.js';
import { KeyAuthenticator } from '../../../../../src/http/auth/authentication.js';
import { sessionOf } from '../../../../../src/resources/kernel/route.js';
import { ApiKeys } from '../../../../../src/services/auth/api-keys.js';
import { LivingOrganization, START_SECONDS } from '../../../../fixtures/living-organization.js';

const DAY = 86_400;

// [c:activity-at-once]
void t.test('any request of somebody is noted, once a day', async (t) => {
  const world = new LivingOrganization();
  const hamlet = world.addUser('hamlet@example.com');
  let refuses = false;
  const tracker = new ActivityTracker(world.org, (work) => {
    if (refuses) throw serviceUnavailable('The store takes nothing');
    world.transact(work);
  });
  const keys = new ApiKeys(Buffer.alloc(32, 7));
  const authenticator = new KeyAuthenticator(world.org, keys, tracker);
  const request = () => authenticator.caller(sessionOf(world.user(hamlet.user_id)));
  const version = () => world.org.activities.changes.of(0);
  t.equal(latestActivity(world.org, hamlet.user_id), 0);
  const before = version();
  request();
  t.equal(latestActivity(world.org, hamlet.user_id), START_SECONDS, 'at once');
  t.equal(version(), before + 1, 'so that cached lists are made anew');
  refuses = true;
  tracker.run();
  t.equal(latestActivity(world.org, hamlet.user_id), START_SECONDS);
  t.equal(world.org.activities.size, 0, 'not yet written');
  refuses = false;
  tracker.run();
  t.equal(latestActivity(world.org, hamlet.user_id), START_SECONDS + DAY, 'at most a day late');
  t.equal(latestActivity(world.org, world.owner.user_id), 0);
  const since = world.position;
  world.clock.advance((DAY - 1) * 1000);
  request();
  tracker.run();
  t.equal(world.position, since, 'no more on that day');
  world.clock.advance(1000);
  request();
  t.strictSame(
    tracker.take(),
    { users: [hamlet.user_id], sessions: [] },
    'for another node to write',
  );
  t.equal(latestActivity(world.org, hamlet.user_id), START_SECONDS + DAY, 'and still counts');
  tracker.add({ users: [hamlet.user_id] });
  tracker.run();
  t.equal(latestActivity(world.org, hamlet.user_id), START_SECONDS + 2 * DAY);
  t.equal(world.position, since + 1);
  t.strictSame(world.received(hamlet, since), [], 'and nobody is told');
  t.equal(world.reloaded().activities.get(hamlet.user_id)?.active_at, START_SECONDS + DAY);
});
