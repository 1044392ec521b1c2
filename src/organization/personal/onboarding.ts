import type { UserDocument } from '../../../schemas/users/user-document.js';
import { ONBOARDING_STEPS } from '../../../schemas/personal/onboarding.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Steps that a user has not completed (`onboarding_steps`). */
export function onboardingSteps(org: Organization, userId: number) {
  const taken = org.onboarding.get(userId)?.taken ?? [];
  return ONBOARDING_STEPS.filter((name) => !taken.includes(name)).map((name) => ({
    type: 'one_time_notice' as const,
    name,
  }));
}

/**
 * Completes an onboarding step (endpoints-users.md#user-administration); repeating it changes nothing.
 * @throws ApiError for an unknown step
 */
export function takeOnboardingStep(tx: Transaction, { user_id }: UserDocument, name: string): void {
  const { org } = tx;
  if (!(ONBOARDING_STEPS as readonly string[]).includes(name)) {
    throw badRequest(`Unknown onboarding_step: ${name}`);
  }
  const taken = org.onboarding.get(user_id)?.taken ?? [];
  if (taken.includes(name)) return;
  org.onboarding.insert({ user_id, taken: [...taken, name] });
  const data = { onboarding_steps: onboardingSteps(org, user_id) };
  tx.emit('onboarding_steps', { to: 'users', users: [user_id] }, data);
}
