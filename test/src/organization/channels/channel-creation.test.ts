import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import {
  channelDescription,
  channelName,
  channelSettings,
  createChannel,
  type ChannelRequest,
} from '../../../../src/organization/channels/channel-creation.js';
import { normalColor } from '../../../../src/organization/views/channel-colors.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

const REQUEST: ChannelRequest = {
  invite_only: false,
  is_web_public: false,
  is_default_stream: false,
  message_retention_days: 'realm_default',
  topics_policy: 'inherit',
};
const TEXT = { name: 'new', description: '', rendered_description: '' };

void t.test('names are trimmed, not empty, printable and of bounded length', async (t) => {
  t.equal(channelName('  design \n'), 'design');
  t.equal(channelName('é😀'.repeat(30)).length, 90, 'sixty code points');
  const refuses = (input: string, message: string) =>
    t.throws(() => channelName(input), { message, code: 'BAD_REQUEST' });
  refuses(' \t', "Channel name can't be empty!");
  refuses('x'.repeat(61), 'Channel name too long (limit: 60 characters).');
  refuses('a\u0007b', 'Invalid character in channel name, at position 2!');
  refuses('😀\ud800', 'Invalid character in channel name, at position 2!');
  refuses('ab\u{1fffe}', 'Invalid character in channel name, at position 3!');
  refuses('\ufdd0', 'Invalid character in channel name, at position 1!');
});

void t.test('descriptions are one line', async (t) => {
  t.equal(channelDescription('a\nb\r\nc\rd'), 'a b c d');
});

void t.test('colours are kept as six lower-case digits', async (t) => {
  t.equal(normalColor('#ABC'), '#aabbcc');
  t.equal(normalColor('#A1b2C3'), '#a1b2c3');
  for (const input of ['abc', '#ab', '#abcd', '#abcdeg', '#abcdef0', 'red', '#abc\n']) {
    t.equal(normalColor(input), undefined, JSON.stringify(input));
  }
});

void t.test('a new channel is introduced to those who may see it', async (t) => {
  const test = new TestOrganization();
  const ann = test.user();
  const admin = test.user({ role: ROLE.administrator });
  const guest = test.user({ role: ROLE.guest });
  const make = (request: Partial<ChannelRequest>) =>
    test.run((tx) => {
      const settings = channelSettings(tx.org, ann, { ...REQUEST, ...request }, () => false);
      return createChannel(tx, TEXT, settings);
    });
  const open = make({});
  t.strictSame(
    open.events.map(({ type, audience }) => [type, audience]),
    [['stream', { to: 'all', except: [guest.user_id] }]],
  );
  t.match(open.result, {
    creator_id: ann.user_id,
    date_created: test.seconds,
    history_public_to_subscribers: true,
    message_retention_days: null,
    can_administer_channel_group: { direct_members: [ann.user_id], direct_subgroups: [] },
    can_send_message_group: test.system('role:everyone'),
  });
  const closed = make({ invite_only: true });
  t.strictSame(closed.events[0]!.audience, { to: 'users', users: [ann.user_id, admin.user_id] });
  t.equal(closed.result.history_public_to_subscribers, false);
  t.not(closed.result.recipient_id, open.result.recipient_id);
});

void t.test('what is asked must be allowed and fit together', async (t) => {
  const test = new TestOrganization();
  const nobody = test.system('role:nobody');
  const [owner, member] = [test.user({ role: ROLE.owner }), test.user()];
  const settings = (request: Partial<ChannelRequest>, user = member) =>
    channelSettings(test.org, user, { ...REQUEST, ...request }, (_org, id) => id === 5);
  const refuses = (request: Partial<ChannelRequest>, message: string, user = member) =>
    t.throws(() => settings(request, user), { message });
  refuses({ is_web_public: true }, 'Web-public channels are not enabled.', owner);
  refuses({ is_web_public: true, invite_only: true }, 'Invalid parameters', owner);
  refuses(
    { is_default_stream: true, invite_only: true },
    'A default channel cannot be private.',
    owner,
  );
  refuses({ is_default_stream: true }, 'Insufficient permission');
  refuses({ message_retention_days: 30 }, 'Must be an organization owner');
  refuses({ message_retention_days: 0 }, "Bad value for 'message_retention_days': 0", owner);
  refuses({ folder_id: 6 }, 'Invalid channel folder ID');
  t.equal(settings({ folder_id: 5 }).folder_id, 5);
  t.equal(settings({ message_retention_days: 'unlimited' }, owner).message_retention_days, -1);
  t.equal(settings({ message_retention_days: 30 }, owner).message_retention_days, 30);
  t.equal(
    settings({ history_public_to_subscribers: false }).history_public_to_subscribers,
    true,
    'public channels share their history',
  );
  test.load('realm', {
    ...test.org.realm.current,
    can_create_public_channel_group: nobody,
    can_set_topics_policy_group: nobody,
  });
  refuses({}, 'Insufficient permission');
  refuses({ invite_only: true, topics_policy: 'empty_topic_only' }, 'Insufficient permission');
  t.ok(settings({ invite_only: true }).invite_only);
});
