/** The kept index of messages, compared with their documents. */
import type { MessageDocument, MessageRoute } from '../../../schemas/messages/message.js';
import { IndexFile } from '../../organization/state/message-index/index-file.js';
import { BIT, bitsOf } from '../../organization/state/message-index/message-columns.js';
import type { MessageIndex } from '../../organization/state/message-index/message-index.js';
import { Fingerprints, printOf, printOfName } from './fingerprints.js';
import { compareAgain, type ComparedStore } from './kept-comparison.js';

const NAME = 'message index';

/**
 * Collects what the documents of messages would be in an index, 4 bytes each, and compares the index that is kept. To read
 * that takes as much memory as a start with it.
 */
export class MessageIndexCheck {
  private readonly prints = new Fingerprints();

  /** @param path of the file */
  constructor(
    private readonly store: ComparedStore,
    private readonly path: string,
    private readonly report: (line: string) => void,
  ) {}

  add(message: MessageDocument): void {
    this.prints.add(message.id, rowPrint(message));
  }

  /** Compares, once all messages were added. */
  async finish(): Promise<void> {
    const { store } = this;
    const [counter] = await store.getMany([{ collection: 'counter', id: 'message' }]);
    const file = new IndexFile(
      this.path,
      store,
      (error) => this.report(`${NAME}: it cannot be read: ${(error as Error).message}`),
      // What is only too old for the journal, or of another version, is made anew by the next start.
      (why, isDamage) => (isDamage ? this.report(`${NAME}: it ${why}`) : undefined),
    );
    const kept = await file.load(Number(counter?.['last'] ?? 0));
    if (!kept) return;
    const found = printsIn(kept.index);
    const { next } = kept;
    const index = {
      ...{ name: NAME, next, printOf: rowPrint },
      printIn: (id: number) => found.get(id),
    };
    await compareAgain(store, index, this.prints.differing(found), this.report);
  }
}

/** All that an index has of a message. */
function rowPrint(message: MessageDocument): number {
  const { sender_id, recipient_id, timestamp, seq, topic, route } = message;
  const row = [sender_id, recipient_id, timestamp, seq, bitsOf(message), topic];
  // A sum: whom a message notifies has no order.
  let print = printOf(row.join());
  for (const userId of message.mentioned) print += printOfName(`mentions ${userId}`);
  for (const userId of message.topic_wildcard) print += printOfName(`topic ${userId}`);
  for (const userId of message.alerted) print += printOfName(`alerts ${userId}`);
  if (message.channel_wildcard) print += printOfName('channel');
  if (route) print += printOfName(routeText(route));
  return print >>> 0;
}

/** The same of each message of an index. */
function printsIn(index: MessageIndex): Fingerprints {
  const prints = new Fingerprints();
  const { columns, conversations, notified, moved } = index;
  for (let row = 0; row < columns.length; row++) {
    const bits = columns.bitsAt(row);
    if ((bits & BIT.dead) !== 0) continue;
    const spelling = columns.topicAt(row);
    const { recipientId } = conversations.topicAt(spelling);
    const { sender, timestamp, seq, id } = columns.rowAt(row);
    const text = [sender, recipientId, timestamp, seq, bits, conversations.nameAt(spelling)];
    prints.add(id, printOf(text.join()));
  }
  const copy = notified.beginCopy();
  while (copy.step(Infinity));
  const { mentions, topicWildcards, alerts, channelWildcards } = copy.image();
  for (const [name, lists] of [
    ['mentions', mentions],
    ['topic', topicWildcards],
    ['alerts', alerts],
  ] as const) {
    for (const [userId, ids] of lists) {
      const print = printOfName(`${name} ${userId}`);
      for (const id of ids) prints.add(id, print);
    }
  }
  for (const id of channelWildcards) prints.add(id, printOfName('channel'));
  for (const [, route, ids] of moved.image()) {
    for (const id of ids) prints.add(id, printOfName(routeText(route)));
  }
  return prints;
}

function routeText({ from, hops }: MessageRoute): string {
  return `route ${from} ${hops.join(';')}`;
}
