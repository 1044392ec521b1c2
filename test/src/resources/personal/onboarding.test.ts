import t from 'tap';
import { ONBOARDING_STEPS } from '../../../../schemas/personal/onboarding.js';
import { personalWorld, refused } from '../../../fixtures/personal-world.js';

void t.test(
  'an onboarding step is completed once, and the remaining ones are emitted',
  async (t) => {
    const world = personalWorld();
    const take = (onboarding_step: string) =>
      world.do('mark-onboarding-step-as-read', { onboarding_step });
    t.strictSame(await take('intro_inbox_view_modal'), {});
    const left = ONBOARDING_STEPS.filter((name) => name !== 'intro_inbox_view_modal');
    t.strictSame(world.newEvents(), [
      {
        type: 'onboarding_steps',
        onboarding_steps: left.map((name) => ({ type: 'one_time_notice', name })),
      },
    ]);
    t.strictSame(await take('intro_inbox_view_modal'), {});
    t.strictSame(world.newEvents(), []);
    await t.rejects(take('dance'), refused('Unknown onboarding_step: dance'));
    t.equal(world.reloaded().onboarding.get(world.hamlet.user_id)!.taken.length, 1);
  },
);
