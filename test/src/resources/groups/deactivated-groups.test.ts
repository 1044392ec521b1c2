import t from 'tap';
import type { ApiError } from '../../../../src/errors/index.js';
import { channelWorld } from '../../../fixtures/channel-world.js';

void t.test('a channel that names deactivated groups comes back without them only', async (t) => {
  const { test, owner, patch } = channelWorld();
  const { id: gone } = test.group({ members: [owner.user_id], deactivated: true });
  const channel = test.channel({
    is_archived: true,
    can_send_message_group: gone,
    can_subscribe_group: { direct_members: [owner.user_id], direct_subgroups: [gone] },
  });
  let error: unknown;
  try {
    patch(owner, channel, { is_archived: false });
  } catch (refusal) {
    error = refusal;
  }
  t.strictSame((error as ApiError).body(), {
    result: 'error',
    msg: 'User group is deactivated.',
    code: 'BAD_REQUEST',
    objections: [
      {
        type: 'channel',
        channel_id: channel.stream_id,
        settings: ['can_send_message_group', 'can_subscribe_group'],
      },
    ],
  });
  const everyone = { new: test.system('role:everyone') };
  t.throws(() => patch(owner, channel, { is_archived: false, can_send_message_group: everyone }), {
    message: 'User group is deactivated.',
  });
  patch(owner, channel, {
    is_archived: false,
    can_send_message_group: everyone,
    can_subscribe_group: { new: test.system('role:nobody') },
  });
  t.equal(test.org.channels.get(channel.stream_id)?.is_archived, false);
});
