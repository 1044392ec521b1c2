import type { AnyHandler } from '../kernel/handler.js';
import { channelAdministrationHandlers } from './channel-administration.js';
import { channelFolderHandlers } from './channel-folders.js';
import { channelReadingHandlers } from './channel-reading.js';
import { channelHandlers } from './channels.js';
import { subscriptionPropertyHandlers } from './subscription-properties.js';
import { subscriptionHandlers } from './subscriptions.js';
import type { HandlerParts } from '../handler-parts.js';

/** Channels, folders and subscriptions. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  ...channelHandlers(),
  ...channelReadingHandlers(parts),
  ...channelAdministrationHandlers(parts.markdown),
  ...channelFolderHandlers(parts.markdown),
  ...subscriptionHandlers(parts),
  ...subscriptionPropertyHandlers(),
];
