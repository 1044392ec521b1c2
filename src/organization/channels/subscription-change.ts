import {
  isSubscriptionProperty,
  type SubscriptionDocument,
  type SubscriptionProperty,
} from '../../../schemas/channels/subscriptions.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { normalColor } from '../views/channel-colors.js';
import { emitSubscriptionUpdate } from './subscription-events.js';
import { visibleChannel } from '../access/channel-rights.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/**
 * One change of a personal channel setting, as in requests (specification-endpoints.md#update-subscriptions and
 * specification-endpoints.md#update-subscription).
 */
interface SubscriptionChange {
  readonly stream_id: number;
  readonly property: string;
  readonly value: unknown;
}

/**
 * Changes one of the user's settings for a channel; an equal value changes nothing. Muting emits two
 * events: `in_home_view`, then `is_muted` (events.md#order).
 * @throws ApiError (requests.md#invalid, errors-by-endpoint.md#by-endpoint)
 */
export function changeSubscription(
  tx: Transaction,
  user: UserDocument,
  change: SubscriptionChange,
): void {
  const { channel, sub, fields } = requireChangeable(tx.org, user, change);
  const { stream_id } = change;
  const [name, next] = Object.entries(fields)[0]!;
  if (sub[name as keyof SubscriptionDocument] === next) return;
  tx.org.subscriptions.update(`${user.user_id}:${stream_id}`, fields);
  const { user_id } = user;
  if (name === 'is_muted') emitSubscriptionUpdate(tx, user_id, channel, 'in_home_view', !next);
  emitSubscriptionUpdate(tx, user_id, channel, name as SubscriptionProperty, next);
}

/** What a change is about. @throws ApiError (requests.md#invalid, errors-by-endpoint.md#by-endpoint) */
export function requireChangeable(
  org: Organization,
  user: UserDocument,
  { stream_id, property, value }: SubscriptionChange,
) {
  if (!isSubscriptionProperty(property)) {
    throw badRequest(`Unknown subscription property: ${property}`);
  }
  const channel = visibleChannel(org, user, stream_id);
  const sub = org.subscriptions.of(user.user_id, stream_id);
  if (!sub?.active) throw badRequest(`Not subscribed to channel id ${stream_id}`);
  return { channel, sub, fields: changedFields(property, value) };
}

/** The stored field behind a property, with its new value. */
function changedFields(
  property: SubscriptionProperty,
  value: unknown,
): Readonly<Record<string, boolean | string>> {
  if (property === 'color') return { color: color(value) };
  if (typeof value !== 'boolean') throw badRequest(`${property} is not a boolean`);
  return property === 'in_home_view' ? { is_muted: !value } : { [property]: value };
}

function color(value: unknown): string {
  if (typeof value !== 'string') throw badRequest('color is not a string');
  const normal = normalColor(value);
  if (normal === undefined) throw badRequest('color is not a valid hex color code');
  return normal;
}
