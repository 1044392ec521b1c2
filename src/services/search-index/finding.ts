/** Finds messages in one part of the index. */
import { Bits, PART_SIZE } from './bits.js';
import { hasPhrases, keepByPhrases, keepByWords, type Layer } from './layer.js';
import type { IndexQuery } from './protocol.js';

/** Places at a time that phrases are looked for in. */
const WINDOW = 8192;

/** First and last id. */
type IdRange = readonly [number, number];

/** Messages of one layer that may match. */
interface Candidates {
  readonly layer: Layer;
  readonly places: Bits;
}

/** Sets that a search is restricted to. */
interface Restriction {
  readonly recipients: ReadonlySet<number> | null;
  readonly senders: ReadonlySet<number> | null;
  readonly ids: ReadonlyMap<number, Bits> | null;
}

/** Messages of a part that match as far as single words and the restriction tell, by layer. */
export function candidatesIn(
  part: number,
  layers: readonly Layer[],
  { clauses }: IndexQuery,
  restriction: Restriction,
): Candidates[] {
  const hidden = Bits.none();
  const { ids } = restriction;
  return layers.map((layer) => {
    const places = layer.live.copy();
    // A newer layer hides what an older one says.
    places.subtract(hidden);
    if (ids) places.intersect(ids.get(part) ?? Bits.none());
    keepByWords(places, layer, clauses);
    restrict(places, layer, restriction);
    hidden.unite(layer.owned);
    return { layer, places };
  });
}

/**
 * Ranges of ids that are looked through one after another: a part, or pieces of it where phrases are asked for, which
 * cost the messages that have their words.
 */
export function* windowsOf(
  part: number,
  { clauses, direction, from, to }: IndexQuery,
): Generator<IdRange> {
  const isUp = direction === 'up';
  const [lowest, highest] = isUp ? [from, to] : [to, from];
  const size = clauses.some(hasPhrases) ? WINDOW : PART_SIZE;
  for (let done = 0; done < PART_SIZE; done += size) {
    const first = part * PART_SIZE + (isUp ? done : PART_SIZE - done - size);
    const last = first + size - 1;
    if (first <= highest && last >= lowest) yield [first, last];
  }
}

/** Those of the candidates that match, from the first to the last place. */
export function inWindow(
  candidates: readonly Candidates[],
  first: number,
  last: number,
  { clauses }: IndexQuery,
): Bits {
  const found = Bits.none();
  for (const { layer, places } of candidates) {
    if (places.isEmpty) continue;
    const own = Bits.none();
    own.addRange(first, last);
    own.intersect(places);
    keepByPhrases(own, layer, clauses);
    found.unite(own);
  }
  return found;
}

/** The sets that a question is restricted to. */
export function restrictionOf({ recipients, senders, ids }: IndexQuery): Restriction {
  const byPart = new Map<number, Bits>();
  for (const id of ids ?? []) {
    const part = Math.floor(id / PART_SIZE);
    let bits = byPart.get(part);
    if (!bits) byPart.set(part, (bits = Bits.none()));
    bits.add(id % PART_SIZE);
  }
  return {
    recipients: recipients ? new Set(recipients) : null,
    senders: senders ? new Set(senders) : null,
    ids: ids ? byPart : null,
  };
}

function restrict(found: Bits, layer: Layer, { recipients, senders }: Restriction): void {
  if (found.isEmpty || (!recipients && !senders)) return;
  const recipientAt = recipients && layer.recipients();
  const senderAt = senders && layer.senders();
  for (let place = found.next(0); place >= 0; place = found.next(place + 1)) {
    if (recipientAt && !recipients.has(recipientAt(place))) found.remove(place);
    else if (senderAt && !senders.has(senderAt(place))) found.remove(place);
  }
}
