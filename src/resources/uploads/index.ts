import type { AnyHandler } from '../kernel/handler.js';
import { uploadHandlers } from './uploads.js';
import type { HandlerParts } from '../handler-parts.js';

/** Uploaded files. */
export const handlers = (parts: HandlerParts): AnyHandler[] => [...uploadHandlers(parts)];
