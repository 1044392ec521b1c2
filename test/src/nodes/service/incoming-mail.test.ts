import t from 'tap';
import { paceOf } from '../../../../src/nodes/service/incoming-mail.js';
import { NO_OPTIONS, type MailTarget } from '../../../../src/organization/mail/mail-addresses.js';

const to = (channelId: number): MailTarget => ({
  ...{ kind: 'channel', channelId, creatorId: 1, senderId: 1 },
  options: NO_OPTIONS,
});

void t.test('one channel has half of the mails of all of them', async (t) => {
  const pace = paceOf(() => 0);
  const send = (channelId: number, count: number): number => {
    let taken = 0;
    for (let i = 0; i < count; i++) {
      try {
        pace.consume(to(channelId));
        taken += 1;
      } catch {
        // Refused for now.
      }
    }
    return taken;
  };
  t.equal(send(1, 100), 25, 'of 50 in a minute');
  t.equal(send(2, 10), 10, 'those to another one are taken');
  t.equal(send(3, 100), 15, 'as far as all may have');
  t.equal(send(4, 1), 0);
});
