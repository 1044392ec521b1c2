import fc from 'fast-check';
import t from 'tap';
import { Bits, PART_SIZE } from '../../../../src/services/search-index/bits.js';

/** Places at the edges of words and of the part, and any others. */
const place = fc.oneof(
  fc.constantFrom(0, 1, 31, 32, 33, 63, 64, PART_SIZE - 33, PART_SIZE - 32, PART_SIZE - 1),
  fc.nat(PART_SIZE - 1),
);
const places = fc.array(place, { maxLength: 40 });

function bitsOf(some: Iterable<number>): Bits {
  const bits = Bits.none();
  for (const one of some) bits.add(one);
  return bits;
}

/** All places, by walking upwards. */
function upwards(bits: Bits): number[] {
  const found: number[] = [];
  for (let at = bits.next(0); at >= 0; at = bits.next(at + 1)) found.push(at);
  return found;
}

function downwards(bits: Bits): number[] {
  const found: number[] = [];
  for (let at = bits.previous(PART_SIZE - 1); at >= 0; at = bits.previous(at - 1)) found.push(at);
  return found;
}

const sorted = (some: Iterable<number>): number[] => [...new Set(some)].sort((a, b) => a - b);

void t.test('a set of places is what a set of numbers is', (t) => {
  fc.assert(
    fc.property(places, places, place, (some, others, one) => {
      const bits = bitsOf(some);
      const all = sorted(some);
      t.strictSame(upwards(bits), all);
      t.strictSame(downwards(bits), [...all].reverse());
      t.equal(bits.size, all.length);
      t.equal(bits.isEmpty, all.length === 0);
      t.equal(bits.has(one), all.includes(one));
      for (const count of [0, 1, Math.max(0, all.length - 1), all.length, all.length + 1]) {
        t.equal(bits.hasAtMost(count), all.length <= count, `${all.length} of ${count}`);
      }
      const changed = (change: (bits: Bits) => void): number[] => {
        const copy = bits.copy();
        change(copy);
        return upwards(copy);
      };
      const removed = changed((copy) => copy.remove(one));
      t.strictSame(
        removed,
        all.filter((at) => at !== one),
      );
      const other = bitsOf(others);
      t.strictSame(
        changed((copy) => copy.unite(other)),
        sorted([...all, ...others]),
      );
      t.strictSame(
        changed((copy) => copy.intersect(other)),
        all.filter((at) => others.includes(at)),
      );
      t.strictSame(
        changed((copy) => copy.subtract(other)),
        all.filter((at) => !others.includes(at)),
      );
      t.strictSame(
        changed((copy) => copy.clear()),
        [],
      );
      t.strictSame(upwards(Bits.of(bits.bytes)), all, 'as it is stored');
      t.strictSame(upwards(bits), all, 'copies are apart');
    }),
    { numRuns: 60 },
  );
  t.end();
});
