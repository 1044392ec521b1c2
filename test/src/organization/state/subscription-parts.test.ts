import t from 'tap';
import { subscriptionParts } from '../../../../src/organization/state/subscription-parts.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

void t.test('private channels of many users who may see them come in smaller parts', async (t) => {
  const world = new LivingOrganization();
  const open = Array.from({ length: 40 }, (_, i) => world.channel(`open ${i}`));
  const hidden = open.map(({ name }) => world.channel(`private ${name}`, { invite_only: true }));
  const sizes = (channels: typeof open) =>
    [...subscriptionParts(world.org, { channels, userIds: [world.owner.user_id] })].map(
      (part) => part.channels.length,
    );
  t.strictSame([sizes(open), sizes(hidden)], [[40], [40]], 'few users');
  for (let i = 0; i < 1600; i++) world.addUser(`u${i}@example.com`);
  t.strictSame(sizes(open), [40]);
  t.strictSame(sizes(hidden), [33, 7]);
});
