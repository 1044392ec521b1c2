import { LARGEST_ANCHOR } from '../../../schemas/limits.js';
import { badRequest, missingArgument } from '../../errors/index.js';
import type { MessageAccess } from '../../organization/messages/message-access.js';
import { compileNarrow } from '../../organization/messages/reading/narrow.js';
import { PageReader } from '../../organization/messages/reading/read-page.js';
import type { NarrowTerm } from '../../../schemas/messages/narrow.js';

/** The start of a page, as in requests. */
type Anchor =
  | { readonly kind: 'id'; readonly id: number }
  | { readonly kind: 'first_unread' }
  | { readonly kind: 'date'; readonly seconds: number };

/** The anchor parameters of endpoints-messages.md#read-messages. */
interface AnchorParams {
  readonly anchor?: string;
  readonly anchor_date?: string;
  readonly use_first_unread_anchor?: boolean;
}

const NEWEST: Anchor = { kind: 'id', id: LARGEST_ANCHOR };
const OLDEST: Anchor = { kind: 'id', id: 0 };

/** ISO 8601: a month, a day, or a time of a day, perhaps with its offset. */
const ISO_8601 =
  /^(\d{4}-(?:0[1-9]|1[0-2])(?:-\d{2})?)(?:(?<=-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(?:Z|([+-](?:[01]\d|2[0-3])):?([0-5]\d)?)?)?$/i;

/** Parses the anchor parameters. @throws ApiError when there is none, or an unknown one */
export function readAnchor(params: AnchorParams): Anchor {
  if (params.use_first_unread_anchor) return { kind: 'first_unread' };
  switch (params.anchor) {
    case undefined:
      throw badRequest("Missing 'anchor' argument.");
    case 'newest':
      return NEWEST;
    case 'oldest':
      return OLDEST;
    case 'first_unread':
      return { kind: 'first_unread' };
    case 'date':
      return { kind: 'date', seconds: readDate(params.anchor_date) };
    default:
      return readNumber(params.anchor);
  }
}

function readNumber(text: string): Anchor {
  if (!/^-?\d+$/.test(text)) throw badRequest('Invalid anchor');
  return { kind: 'id', id: Math.min(Math.max(Number(text), 0), LARGEST_ANCHOR) };
}

/** ISO 8601; without an offset it is UTC. UNIX seconds, rounded up. */
function readDate(text: string | undefined): number {
  if (text === undefined) throw missingArgument('anchor_date');
  const [, date = '', time, hours = '+00', minutes = '00'] = ISO_8601.exec(text) ?? [];
  const ms = Date.parse(time === undefined ? date : `${date}T${time}${hours}:${minutes}`);
  if (Number.isNaN(ms) || !isCalendarDate(date)) throw badRequest('anchor_date is not a date');
  return Math.ceil(ms / 1000);
}

/** Whether there is such a day or month: the standard parser takes the 31st of February for the 3rd of March. */
function isCalendarDate(date: string): boolean {
  const midnight = Date.parse(date);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
}

/**
 * The message id an anchor stands for within a narrow: the first unread match, or the first sent at
 * or after the date; newest when there is no such message.
 */
export async function resolveAnchor(
  access: MessageAccess,
  anchor: Anchor,
  narrow: readonly NarrowTerm[],
): Promise<number> {
  if (anchor.kind === 'id') return anchor.id;
  const unread = anchor.kind === 'first_unread';
  const wanted: readonly NarrowTerm[] = unread
    ? [...narrow, { operator: 'is', operand: 'unread' }]
    : narrow;
  const from = unread ? 0 : access.org.messages.index.columns.firstIdAtTime(anchor.seconds);
  const reader = new PageReader(access, compileNarrow(access, wanted));
  return (await reader.first(from))?.id ?? LARGEST_ANCHOR;
}
