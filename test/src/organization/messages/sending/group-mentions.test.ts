import t from 'tap';
import { sendMessage } from '../../../../../src/organization/messages/sending/send-message.js';
import { renderFor } from '../../../../../src/organization/messages/sending/outgoing-message.js';
import { createMarkdown } from '../../../../../src/services/markdown/markdown.js';
import { GroupsWorld, only } from '../../../../fixtures/groups-world.js';
import { documentsIn } from '../../../../fixtures/documents-in.js';

const markdown = createMarkdown({
  onError: (error) => {
    throw error;
  },
});

class World extends GroupsWorld {
  /** HTML of the newest message. */
  get html(): string {
    return this.org.messages.resident(this.org.counters.last('message'))!.rendered_content;
  }

  /** Sends to everybody; whom the message mentions. */
  say(content: string, sender = this.ophelia): number[] {
    this.transact((tx) =>
      sendMessage(tx, {
        sender,
        recipient: { kind: 'channel', channel: this.general, topic: 'x' },
        content,
        rendered: renderFor(tx.org, markdown, sender, content),
        clientName: 'test',
        readBySender: true,
      }),
    );
    const { writes } = this.entries.at(-1)!.content;
    return documentsIn(writes, 'message')[0]!.mentioned as number[];
  }
}

// [c:can-mention-group]
void t.test('can_mention_group decides who may mention a group', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  const id = await world.group({
    members: [hamlet.user_id, owner.user_id],
    can_mention_group: only(hamlet.user_id),
  });
  t.strictSame(world.say('@*players* on stage', hamlet), [owner.user_id, hamlet.user_id].sort());
  const refusal = { message: "You are not allowed to mention user group 'players'." };
  t.throws(() => world.say('@*players* on stage'), refusal);
  t.strictSame(world.say('@_*players* silently'), [], 'silently everybody may');
  await world.change(id, { can_mention_group: { new: world.system('role:members') } });
  t.strictSame(world.say('@*players* on stage', ophelia).length, 2);
});

void t.test('system groups are nobody to mention', async (t) => {
  const world = new World();
  t.throws(() => world.say('@*role:members* all', world.owner), {
    message: "You are not allowed to mention user group 'role:members'.",
  });
});

// [c:mention-of-deactivated-group]
void t.test('a deactivated group cannot be mentioned until it is reactivated', async (t) => {
  const world = new World();
  const id = await world.group();
  await world.do('deactivate-user-group', { user_group_id: id });
  t.strictSame(world.say('@*players* on stage'), []);
  t.equal(world.html, '<p>@*players* on stage</p>', 'it stays text');
  await world.change(id, { deactivated: false });
  t.strictSame(world.say('@*players* on stage'), [world.hamlet.user_id]);
  const mention = `<span class="user-group-mention" data-user-group-id="${id}">@players</span>`;
  t.equal(world.html, `<p>${mention} on stage</p>`);
});
