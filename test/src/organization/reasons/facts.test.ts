import t from 'tap';
import type { SubscriptionDocument } from '../../../../schemas/channels/subscriptions.js';
import { decide, type NotificationDecision } from '../../../../src/organization/reasons/decide.js';
import { MessageFacts } from '../../../../src/organization/reasons/facts.js';
import { messageHandlers } from '../../../../src/resources/messages/messages.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

class World extends LivingOrganization {
  readonly ann = this.addUser('ann@example.com');
  readonly bob = this.addUser('bob@example.com');
  override readonly handlers = messageHandlers(createMarkdown());
  private readonly sub = `${this.bob.user_id}:${this.general.stream_id}`;

  /** What becomes of a message to the channel for who chose this there. */
  async told(
    content: string,
    choice: Partial<SubscriptionDocument>,
  ): Promise<NotificationDecision> {
    const former = this.org.subscriptions.get(this.sub)!;
    this.transact((tx) => tx.org.subscriptions.update(this.sub, choice));
    const message = { type: 'channel', to: 'general', topic: 'test', content };
    const id = Number((await this.do('send-message', message, this.ann)).id);
    const document = (await this.org.messages.fetch([id])).get(id)!;
    const facts = new MessageFacts(this.org, document).of(this.bob.user_id, true, false);
    this.transact((tx) => tx.org.subscriptions.insert(former));
    return decide(facts);
  }
}

void t.test('what one chose for a channel decides there, whatever one chose for all', async (t) => {
  const world = new World();
  const none = { email: null, push: null };
  t.strictSame(await world.told('hello', {}), none);
  t.strictSame(await world.told('hello', { email_notifications: true }), {
    email: 'channel',
    push: null,
  });
  t.strictSame(await world.told('hello', { push_notifications: true }), {
    email: null,
    push: 'channel',
  });
  t.strictSame(await world.told('hello', { push_notifications: true, is_muted: true }), none);
  const wildcard = { email: 'wildcard', push: 'wildcard' };
  t.strictSame(await world.told('@**all**', {}), wildcard);
  t.strictSame(await world.told('@**all**', { wildcard_mentions_notify: false }), none);
});
