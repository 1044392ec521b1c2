import t, { type Test } from 'tap';
import { MessageAccess } from '../../../../../src/organization/messages/message-access.js';
import { MessageViews } from '../../../../../src/organization/messages/reading/message-view.js';
import type { MessageForm } from '../../../../../src/journal/renderers/message.js';
import { SmallOrganization } from '../fixtures/small-organization.js';

const FORM: MessageForm = { applyMarkdown: true, clientGravatar: false, emptyTopicName: false };
const FORMS = [FORM, { ...FORM, applyMarkdown: false }, { ...FORM, emptyTopicName: true }];
const VIEWERS = [1, 2, 3];

/** Messages of all kinds whose texts viewers share: Ann (1), Bob (2) and the guest Gil (3). */
function team(): SmallOrganization {
  const small = new SmallOrganization();
  small.user(1, 'Ann');
  small.user(2, 'Bob');
  small.user(3, 'Gil', 600);
  small.channel(1, 'general');
  for (const userId of VIEWERS) small.subscribe(userId, 1);
  small.conversation(201, [1, 2]);
  const tada = { emoji_name: 'tada', emoji_code: '1f389', reaction_type: 'unicode_emoji' as const };
  small.message({ id: 1, reactions: [{ ...tada, user_id: 2 }] });
  small.message({ id: 2, sender_id: 2, stream_id: null, recipient_id: 201, topic: '' });
  const edit = { timestamp: 1, user_id: 1, prev_content: 'a', prev_rendered_content: '<p>a</p>' };
  small.message({ id: 3, topic: '', edit_history: [edit], last_edit_timestamp: 1 });
  return small;
}

function everything({ org, stored }: SmallOrganization, t: Test, title: string): string {
  let all = '';
  for (const userId of VIEWERS) {
    for (const form of FORMS) {
      const views = new MessageViews(new MessageAccess(org, org.users.get(userId)!), form);
      for (const message of stored.values()) {
        const text = views.textOf(message);
        t.equal(text, JSON.stringify(views.of(message)), `${title}: ${message.id} for ${userId}`);
        all += text;
      }
    }
  }
  return all;
}

void t.test('texts that viewers share say what is so now', (t) => {
  const small = team();
  const { org } = small;
  const steps: [title: string, change: () => unknown, shows: RegExp][] = [
    ['at first', () => null, /"sender_full_name":"Ann".*"prev_content":"a"/],
    ['a sender', () => org.users.update(1, { full_name: 'Anna' }), /"sender_full_name":"Anna"/],
    ['who reacted', () => org.users.update(2, { full_name: 'Rob' }), /"user":{[^}]*"Rob"/],
    ['a channel', () => org.channels.update(1, { name: 'all' }), /"display_recipient":"all"/],
    [
      'a participant',
      () => org.users.update(2, { full_name: 'Bert' }),
      /"display_recipient":\[[^\]]*"Bert"/,
    ],
    [
      'the policy of edit histories',
      () => org.realm.update('realm', { message_edit_history_visibility_policy: 'moves' }),
      /^(?!.*prev_content)/,
    ],
    [
      'a flag of one viewer',
      () => org.messageFlags.set(1, 1, 'starred', true),
      /"flags":\["starred"\]/,
    ],
  ];
  for (const [title, change, shows] of steps) {
    small.run(change);
    t.match(everything(small, t, title), shows, title);
  }
  t.end();
});
