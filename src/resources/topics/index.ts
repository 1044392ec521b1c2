import type { AnyHandler } from '../kernel/handler.js';
import { userTopicHandlers } from './user-topics.js';

/** What people set for topics. */
export const handlers = (): AnyHandler[] => [...userTopicHandlers()];
