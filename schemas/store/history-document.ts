import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

/**
 * Why a history began.
 *
 * - `created`: with the organization.
 * - `found`: the organization comes from software that knew no histories; its queues went on.
 * - `went_back`: the store lacks acknowledged entries, or has others in their place.
 * - `copied`: an embedded store's folder is a copy of the one that was served.
 * - `imported`: from a backup.
 * - `requested`: an operator asked for it.
 */
export const HistoryReason = Type.Union([
  Type.Literal('created'),
  Type.Literal('found'),
  Type.Literal('went_back'),
  Type.Literal('copied'),
  Type.Literal('imported'),
  Type.Literal('requested'),
]);
export type HistoryReason = Static<typeof HistoryReason>;

/**
 * Stored identity of the journal's history (an epoch in Centrifugo's terms). Queues and cursors are valid in
 * the history in which they were made.
 */
export const HistoryDocument = Type.Object({
  /** Random. */
  id: Type.String(),
  /** Journal position of its first entry: queues that start before it are of an earlier history. */
  began: Type.Integer(),
  /**
   * Position from which event ids count, `began` or later: queues that start before it have ended. Absent until software
   * that counts them has led.
   */
  ids_from: Type.Optional(Type.Integer()),
  reason: HistoryReason,
  /** Milliseconds since 1970 when it began. */
  at: Type.Integer(),
  /** Presence updates up to this id are of an earlier history. */
  presence_update: Type.Integer(),
  /** Ids of the most recent earlier histories, newest first. */
  former: Type.Array(Type.String()),
});
export type HistoryDocument = Static<typeof HistoryDocument>;

/**
 * Request of a command to the next start: begin a new history, or continue the store's although the node does
 * not know it (an organization that was moved).
 */
export const HistoryRequestDocument = Type.Union([
  Type.Object({
    next: Type.Literal('begin'),
    reason: Type.Union([Type.Literal('imported'), Type.Literal('requested')]),
  }),
  Type.Object({ next: Type.Literal('go_on') }),
]);
export type HistoryRequestDocument = Static<typeof HistoryRequestDocument>;

/** The stored documents of `history`. */
export const historyCollection = collection('history', HistoryDocument);

/** The stored documents of `history_request`. */
export const historyRequestCollection = collection('history_request', HistoryRequestDocument);
