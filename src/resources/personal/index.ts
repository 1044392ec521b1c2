import type { AnyHandler } from '../kernel/handler.js';
import { mutedUserHandlers } from './muted-users.js';
import { navigationViewHandlers } from './navigation-views.js';
import { pushHandlers } from './push.js';
import { personalHandlers } from './texts.js';

/** What people keep for themselves. */
export const handlers = (): AnyHandler[] => [
  ...personalHandlers(),
  ...navigationViewHandlers(),
  ...pushHandlers(),
  ...mutedUserHandlers(),
];
