import type { AnyHandler } from '../kernel/handler.js';
import type { HandlerParts } from '../handler-parts.js';
import { externalHandler, probeHandler } from './external.js';

/** Webhooks of other services. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [
  externalHandler(parts.markdown),
  probeHandler,
];
