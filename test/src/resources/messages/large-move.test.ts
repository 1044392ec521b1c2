import t from 'tap';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { unfollow } from '../../../fixtures/following/follow-every-entry.js';

/** Messages of a topic that others change while it is about to move. */
const GATHERED = 150;

/** A world whose topic `lunch` moves once `meanwhile` has run, between the preparation and the transaction. */
async function movedAfter(
  meanwhile: (world: MessagesWorld, ids: readonly number[]) => unknown,
): Promise<{ world: MessagesWorld; ids: readonly number[]; finds: number }> {
  const world = new MessagesWorld();
  const { editing, hamlet, verona } = world;
  const ids: number[] = [];
  for (let i = 0; i < GATHERED; i++) ids.push(await world.say(`${i}`));
  const { columns } = world.org.messages.index;
  const find = columns.find.bind(columns);
  let finds = 0;
  const handler: typeof editing = {
    ...editing,
    prepare: async (org, request) => {
      const loaded: unknown = await editing.prepare!(org, request);
      await meanwhile(world, ids);
      columns.find = (id) => {
        finds += 1;
        return find(id);
      };
      return loaded;
    },
  };
  world.mark = world.position;
  const change = { stream_id: verona.stream_id, propagate_mode: 'change_all' };
  await world.call(handler, hamlet, { message_id: ids[0], ...change });
  return { world, ids, finds };
}

/** What the journal says of the topic after the move. */
function arrived({ org, verona }: MessagesWorld): number[] {
  return org.messages.index.topic(verona.recipient_id, 'lunch')!.list.toArray().slice(0, -1);
}

void t.test(
  'the transaction of a large move looks at no message that was gathered before',
  async (t) => {
    // A follower that is compared with the leader, at a time nobody knows, looks for messages, too.
    const { world, ids, finds } = await movedAfter(({ org }) => unfollow(org));
    t.same(arrived(world), ids);
    t.ok(finds < GATHERED / 2, `${finds} messages were looked for`);
  },
);

void t.test('what others change before a large move is moved as they left it', async (t) => {
  const update = (world: MessagesWorld, id: number, fields: object): void => {
    world.transact((tx) => {
      tx.org.messages.update(tx.org.messages.resident(id)!, fields, tx.seq);
    });
  };
  const edited = await movedAfter((world, ids) => update(world, ids[9]!, { content: 'changed' }));
  t.same(arrived(edited.world), edited.ids);
  const [document] = (await edited.world.org.messages.fetch([edited.ids[9]!])).values();
  t.match(document, { content: 'changed', stream_id: edited.world.verona.stream_id });

  const renamed = await movedAfter((world, ids) => update(world, ids[9]!, { topic: 'dinner' }));
  t.notOk(arrived(renamed.world).includes(renamed.ids[9]!));
  t.equal(arrived(renamed.world).length, GATHERED - 1);

  const deleted = await movedAfter((world, ids) =>
    world.transact((tx) => tx.org.messages.delete(tx.org.messages.resident(ids[9]!)!)),
  );
  t.same(
    arrived(deleted.world),
    deleted.ids.filter((id) => id !== deleted.ids[9]),
  );

  const other = await movedAfter((world) => world.say('late'));
  const last = other.ids.at(-1)! + 1;
  t.same(arrived(other.world), [...other.ids, last]);
  for (const { world } of [edited, renamed, deleted, other]) {
    const { index } = world.org.messages;
    const { index: reloaded } = world.reloaded().messages;
    for (const { recipient_id } of [world.general, world.verona]) {
      const after = index.conversation(recipient_id).toArray();
      t.same(reloaded.conversation(recipient_id).toArray(), after);
    }
  }
});
