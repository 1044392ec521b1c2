import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { composeMail } from '../../../../src/organization/mail/texts.js';
import {
  deactivateOrganization,
  reactivateOrganization,
} from '../../../../src/organization/realm/organization-end.js';
import { realmHandlers } from '../../../../src/resources/realm/realm.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  /** How often all queues were ended. */
  ended = 0;
  readonly guest = this.addWithRole('guest@example.com', ROLE.guest);
  override readonly handlers = realmHandlers({
    markdown: createMarkdown(),
    waitingPeriodChanged: () => undefined,
    endQueues: () => (this.ended += 1),
  });
}

void t.test('the organization ends, and goes on', async (t) => {
  const world = new World();
  const second = world.addWithRole('second@example.com', ROLE.owner);
  const refused = { status: 400, code: 'BAD_REQUEST' };
  await t.rejects(world.do('deactivate-realm', { deletion_delay_days: 30 }, world.owner), {
    ...refused,
    message: "Deleting the organization's data is not supported by this server.",
  });
  t.equal(world.ended, 0);
  t.strictSame(await world.do('deactivate-realm', {}, world.owner), {});
  t.strictSame(
    world.newEvents(world.guest),
    [{ type: 'realm', op: 'deactivated', realm_id: 1 }],
    'to everybody',
  );
  t.equal(world.ended, 1, 'all queues end');
  t.equal(world.org.realm.current.deactivated, true);
  t.equal(world.reloaded().realm.current.deactivated, true, 'also after a restart');
  const mails = [...world.org.mails.values()];
  t.strictSame(
    mails.map(({ to }) => to),
    [world.owner.email, second.email],
    'its owners get a mail',
  );
  const keys = new LinkKeys(Buffer.alloc(32, 7));
  const { subject, text } = composeMail(world.org, keys, mails[1]!, 'chat@example.com');
  t.equal(subject, 'Example has been deactivated');
  t.match(
    text,
    /^Hello second,\n\nOlive Owner has deactivated Example at .*\n\nNothing was deleted\./s,
  );
  t.throws(() => world.transact((tx) => deactivateOrganization(tx, null, () => undefined)), {
    ...refused,
    message: 'This organization has been deactivated',
  });
  world.transact((tx) => reactivateOrganization(tx));
  t.equal(world.org.realm.current.deactivated, false);
  t.throws(() => world.transact((tx) => reactivateOrganization(tx)), {
    ...refused,
    message: 'The organization is active',
  });
});
