/** Finds messages in one part of the index. */
import { Bits, PART_SIZE } from './bits.js';
import { keepMatching, mayMatch, type Layer } from './layer.js';
import type { IndexQuery } from './protocol.js';

/** Sets that a search is restricted to. */
interface Restriction {
  readonly recipients: ReadonlySet<number> | null;
  readonly senders: ReadonlySet<number> | null;
  readonly ids: ReadonlyMap<number, Bits> | null;
}

/** Places in a part whose messages match; null where none does. */
export function matchesIn(
  part: number,
  layers: readonly Layer[],
  { clauses }: IndexQuery,
  restriction: Restriction,
): Bits | null {
  const { ids } = restriction;
  const own = ids?.get(part);
  if (ids && !own) return null;
  const asked = layers.map((layer) => mayMatch(layer, clauses));
  if (!asked.includes(true)) return null;
  const hidden = Bits.none();
  const found = Bits.none();
  for (const [i, layer] of layers.entries()) {
    if (asked[i]) {
      const places = layer.live.copy();
      // A newer layer hides what an older one says.
      places.subtract(hidden);
      if (own) places.intersect(own);
      keepMatching(places, layer, clauses);
      restrict(places, layer, restriction);
      found.unite(places);
    }
    hidden.unite(layer.owned);
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
