import type { SubmessageDocument } from '../../../../schemas/messages/message.js';

/** The user who does something with a widget. */
export interface WidgetUser {
  readonly id: number;
  /** Sent the message that has the widget. */
  readonly isAuthor: boolean;
}

/**
 * A poll or a to-do list as it is after what people did with it; what clients make of a message's submessages. Kept for
 * one request only.
 */
export interface Widget {
  /**
   * Does what a client asks for.
   * @param action the JSON that it sent
   * @returns whether that changed anything
   * @throws ApiError for what the widget does not take, or not from this user
   */
  act(user: WidgetUser, action: unknown): boolean;

  /** Does again what was accepted once. What has no effect any more is ignored, as clients do. */
  replay(senderId: number, action: unknown): void;

  /** Those of the actions that still have an effect: the widget is the same without the others. */
  effective(actions: readonly SubmessageDocument[]): readonly SubmessageDocument[];
}

/** The author of what a message begins with, in keys of options and tasks. */
export const CANNED = 'canned';
export type Adder = number | typeof CANNED;
