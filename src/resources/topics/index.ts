import type { AnyHandler } from '../kernel/handler.js';
import { userTopicHandlers } from './user-topics.js';

/** Visibility policies of topics. */
export const handlers = (): AnyHandler[] => [...userTopicHandlers()];
