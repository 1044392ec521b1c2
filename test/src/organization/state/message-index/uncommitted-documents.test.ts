import fc from 'fast-check';
import t from 'tap';
import {
  UncommittedDocuments,
  type Written,
} from '../../../../../src/organization/state/message-index/uncommitted-documents.js';

const IDS = Array.from({ length: 6 }, (_, i) => i);

/**
 * What happens to the documents: an entry writes some of them one by one or together, or some entries become durable.
 */
const step = fc.oneof(
  fc.record({ ids: fc.subarray(IDS, { minLength: 1 }), isTogether: fc.boolean() }),
  fc.record({ durable: fc.nat(3) }),
);

interface Entry {
  readonly seq: number;
  undo(): void;
}

/** Entries of which each writes documents; `newest` is what must be known of them. */
class World {
  readonly documents = new UncommittedDocuments<string>();
  readonly newest = new Map<number, Written<string>>();
  readonly pending: Entry[] = [];
  private seq = 0;

  write(ids: readonly number[], isTogether: boolean): void {
    const seq = (this.seq += 1);
    const former = new Map(ids.map((id) => [id, this.newest.get(id)]));
    const written = new Map(ids.map((id) => [id, { document: `${id} of ${seq}`, seq }]));
    for (const [id, one] of written) this.newest.set(id, one);
    const undo = isTogether
      ? this.documents.putTogether(written, seq)
      : this.oneByOne(written, ids);
    const undoNewest = (): void => {
      for (const [id, one] of former) {
        if (one) this.newest.set(id, one);
        else this.newest.delete(id);
      }
    };
    this.pending.push({
      seq,
      undo: () => {
        undo();
        undoNewest();
      },
    });
  }

  durable(count: number): void {
    const last = this.pending.splice(0, count).at(-1);
    if (!last) return;
    this.documents.durable(last.seq);
    for (const [id, { seq }] of this.newest) if (seq <= last.seq) this.newest.delete(id);
  }

  private oneByOne(written: ReadonlyMap<number, Written<string>>, ids: readonly number[]) {
    const former = ids.map((id) => this.documents.get(id));
    for (const [id, one] of written) this.documents.put(id, one);
    return () => ids.forEach((id, i) => this.documents.put(id, former[i]));
  }

  get known(): unknown[] {
    return IDS.map((id) => this.documents.get(id)?.document ?? null);
  }

  get expected(): unknown[] {
    return IDS.map((id) => this.newest.get(id)?.document ?? null);
  }
}

function after(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]): World {
  const world = new World();
  for (const one of steps) {
    if ('durable' in one) world.durable(one.durable);
    else world.write(one.ids, one.isTogether);
  }
  return world;
}

void t.test('the newest write is known until it is durable, written together or not', async (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const world = after(steps);
      t.same(world.known, world.expected);
    }),
  );
});

void t.test(
  'entries that are taken back, the newest first, leave what was known before',
  async (t) => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        // What became durable is not taken back, nor what it replaced.
        const world = after(steps.filter((one) => !('durable' in one)));
        for (const entry of world.pending.reverse()) {
          entry.undo();
          t.same(world.known, world.expected);
        }
        t.equal(world.documents.size, 0);
      }),
    );
  },
);

void t.test('a document that is deleted is not known any more', async (t) => {
  const documents = new UncommittedDocuments<string>();
  documents.putTogether(new Map([[1, { document: 'one', seq: 3 }]]), 3);
  documents.put(1, undefined);
  t.equal(documents.get(1), undefined);
  t.equal(documents.size, 0);
});
