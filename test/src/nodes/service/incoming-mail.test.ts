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

void t.test(
  'whoever sends as many as are taken gets so many in a minute, in five, in an hour',
  async (t) => {
    // Every minute's mails have left their window two seconds later.
    const STEP_SECONDS = 62;
    const most = (target: (i: number) => MailTarget, seconds: number): number => {
      let [now, taken, sent] = [0, 0, 0];
      const pace = paceOf(() => now);
      for (; now < seconds * 1000; now += STEP_SECONDS * 1000) {
        for (let i = 0; i < 60; i++) {
          try {
            pace.consume(target(sent++));
            taken += 1;
          } catch {
            // Refused for now.
          }
        }
      }
      return taken;
    };
    const inAll = (target: (i: number) => MailTarget): number[] =>
      [60, 300, 3600].map((seconds) => most(target, seconds));
    const reply = { kind: 'reply', userId: 1 } as MailTarget;
    t.strictSame(
      inAll((i) => to(i)),
      [50, 120, 600],
      'to all channels',
    );
    t.strictSame(
      inAll(() => to(1)),
      [25, 60, 300],
      'to one',
    );
    t.strictSame(
      inAll(() => reply),
      [20, 100, 200],
      'answers of one person',
    );
  },
);
