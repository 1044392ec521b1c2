import t from 'tap';
import { messageDocument } from '../../../../bench/seed/documents.js';
import { IndexKeeper } from '../../../../src/nodes/upkeep/index-keeper.js';
import type { KeptImage } from '../../../../src/organization/state/message-index/index-file.js';
import { CoreNode, moveOn } from '../../../fixtures/core-node.js';

const CHANNEL = { streamId: 7, recipientId: 70 };
/** As many positions make the file worth being written again. */
const ENOUGH = 10_000;

class World {
  readonly kept: KeptImage[] = [];
  position: number | null = null;
  readonly keeper: IndexKeeper;

  constructor(readonly node: CoreNode) {
    const save = async (image: KeptImage) => void this.kept.push(image);
    const { kept } = this;
    const position = () => this.position;
    this.keeper = new IndexKeeper(node.runtime, {
      save,
      isKept: true,
      get position() {
        return position() ?? kept.at(-1)?.seq ?? null;
      },
    });
  }

  static async start(): Promise<World> {
    const world = new World(await CoreNode.start());
    for (let id = 1; id <= 5; id++) world.send(id);
    await moveOn(world.node, ENOUGH);
    return world;
  }

  send(id: number): void {
    this.node.runtime.transact((tx) => {
      tx.org.messages.insert(messageDocument(id, tx.seq, 3, CHANNEL, `topic ${id}`, 0));
      tx.org.counters.insert({ name: 'message', last: id });
    });
  }

  get ids(): number[][] {
    return this.kept.map(({ image }) => [...image.rows.id]);
  }
}

void t.test('the index is kept again once the journal has grown', async (t) => {
  const world = await World.start();
  const { keeper, kept, node } = world;
  world.position = node.journal.durableHead.seq - ENOUGH + 1;
  await keeper.run();
  t.equal(kept.length, 0, 'one position too few');
  world.position = null;
  await Promise.all([keeper.run(), keeper.run()]);
  t.same(world.ids, [[1, 2, 3, 4, 5]]);
  const [{ seq, lastId }] = kept as [KeptImage];
  t.equal(lastId, 5);
  t.same(
    (await node.gate.store.readJournal(seq, seq, 1)).map((entry) => entry.seq),
    [seq],
    'at an entry that the journal has',
  );
  await keeper.run();
  t.equal(kept.length, 1);
});

void t.test('what comes while it is copied belongs to the journal after it', async (t) => {
  const world = await World.start();
  const { keeper, kept, node } = world;
  const running = keeper.run();
  world.send(6);
  const sent = node.journal.nextSeq - 1;
  await running;
  t.same(world.ids, [[1, 2, 3, 4, 5]]);
  t.equal(kept[0]!.lastId, 5);
  t.ok(kept[0]!.seq < sent);
  t.equal(
    node.journal.pending,
    0,
    'it waited for that, which may be in a list that is copied later',
  );
});

void t.test('an index with something that the store refused is not kept', async (t) => {
  const world = await World.start();
  const { keeper, kept, node } = world;
  node.gate.holding = true;
  world.send(6);
  // Whether it waits for what is refused, or finds that it was.
  const running = keeper.run().catch(() => undefined);
  await node.gate.waiting(1);
  node.gate.holding = false;
  for (const held of node.gate.held) held.refuse(new Error('No space left'));
  await running;
  t.equal(kept.length, 0);
  t.notOk(node.org.messages.has(6));
});
