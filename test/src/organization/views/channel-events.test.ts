import t from 'tap';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { archiveChannel } from '../../../../src/organization/channels/channel-change.js';
import { everyViewer } from '../../../fixtures/channel-viewer.js';
import { TestOrganization } from '../../../fixtures/chat-organization.js';

void t.test('archiving a default channel: the list of defaults, then the channel', async (t) => {
  const test = new TestOrganization();
  const guest = test.user({ role: ROLE.guest });
  const member = test.user();
  const channel = test.channel({ is_default: true });
  const other = test.channel({ is_default: true });
  test.subscribe(member, channel);
  const viewers = everyViewer(test.org);
  const { events } = test.run((tx) => archiveChannel(tx, channel));
  t.strictSame(
    events.map(({ type, audience }) => [type, audience]),
    [
      ['default_streams', { to: 'all', except: [guest.user_id] }],
      ['stream', { to: 'all', except: [guest.user_id] }],
    ],
  );
  t.strictSame(events[0]!.data, { default_streams: [other.stream_id] });
  for (const viewer of viewers) {
    viewer.receive(events);
    t.strictSame(viewer.believed, viewer.actual);
  }
});

void t.test('archiving any other channel says nothing of defaults', async (t) => {
  const test = new TestOrganization();
  const { events } = test.run((tx) => archiveChannel(tx, test.channel()));
  t.strictSame(
    events.map(({ type }) => type),
    ['stream'],
  );
});
