import t from 'tap';
import { storeUnavailable } from '../../../../src/errors/index.js';
import { queueMail, MailDelivery } from '../../../../src/organization/mail/delivery.js';
import type { Transaction } from '../../../../src/organization/state/transaction.js';
import type { Transactor } from '../../../../src/organization/state/runtime.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { MailRefusedError, type Mail, type MailTransport } from '../../../../src/services/mail.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

/** Attempts to send wait until the test decides how they end. */
class HeldTransport implements MailTransport {
  readonly description = 'held';
  readonly attempts: { mail: Mail; end: (error?: Error) => void }[] = [];

  send(mail: Mail): Promise<void> {
    return new Promise((resolve, reject) => {
      this.attempts.push({ mail, end: (error) => (error ? reject(error) : resolve()) });
    });
  }

  close(): void {}
}

class World extends LivingOrganization {
  readonly transport = new HeldTransport();
  readonly log: [string, string][] = [];
  readonly delivery: MailDelivery;
  /** The store, as the runtime sees it. */
  storeFails = false;
  /** Transactions of the delivery. */
  attempted = 0;
  durable: Promise<void> = Promise.resolve();

  constructor(showLinks = false) {
    super();
    const note = (level: string) => (_context: object, message: string) =>
      this.log.push([level, message]);
    this.delivery = new MailDelivery(this.runtime(), {
      transport: this.transport,
      keys: new LinkKeys(Buffer.alloc(32, 7)),
      from: 'noreply@chat.example.com',
      wheel: this.wheel,
      log: { info: note('info'), warn: note('warn'), error: note('error') },
      showLinks,
      failed: () => undefined,
      composeOfMessages: async () => null,
    });
  }

  queue(to: string): void {
    this.transact((tx) => queueMail(tx, to, { kind: 'sign_up', nonce: `nonce-${to}` }));
  }

  get waiting(): string[] {
    return [...this.org.mails.values()].map((mail) => mail.to);
  }

  /** Lets everything that is under way come to rest. */
  async settle(): Promise<void> {
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  }

  private runtime(): Transactor {
    return {
      org: this.org,
      transact: <T>(work: (tx: Transaction) => T): T => {
        this.attempted += 1;
        return this.transact((tx) => {
          const made = work(tx);
          // As the store is asked: last, so that the transaction is taken back.
          if (this.storeFails) throw storeUnavailable();
          return made;
        });
      },
      journal: { barrier: () => this.durable },
    };
  }
}

void t.test('a mail goes out once it is durable, and is then removed', async (t) => {
  const world = new World();
  const { transport } = world;
  world.delivery.start();
  let durable!: () => void;
  world.durable = new Promise((resolve) => (durable = resolve));
  world.queue('a@x.org');
  await world.settle();
  t.equal(transport.attempts.length, 0, 'not before its transaction is durable');
  durable();
  await world.settle();
  t.equal(transport.attempts.length, 1);
  const { mail } = transport.attempts[0]!;
  t.match(mail, {
    from: { name: 'Example', address: 'noreply@chat.example.com' },
    to: 'a@x.org',
    subject: 'Confirm your e-mail address to join Example',
    messageId: '<mail-1-00000000-0000-4000-8000-000000000000@chat.example.com>',
  });
  t.match(mail.text, /https:\/\/chat\.example\.com\/accounts\/do_confirm\/[A-Za-z0-9]{32}\n/);
  t.match(mail.html, /<a href="https:\/\/chat\.example\.com\/accounts\/do_confirm\/\w{32}" style=/);
  t.strictSame(world.waiting, ['a@x.org'], 'still there until somebody else has it');
  transport.attempts[0]!.end();
  await world.settle();
  t.strictSame(world.waiting, []);
  t.strictSame(world.log, [['info', 'mail sent']]);
});

void t.test('a mail that comes while another is made durable waits for its own turn', async (t) => {
  const world = new World();
  const { transport } = world;
  const barriers: (() => void)[] = [];
  const hold = (): void => {
    world.durable = new Promise((resolve) => barriers.push(resolve));
  };
  hold();
  world.delivery.start();
  world.queue('a@x.org');
  await world.settle();
  hold();
  world.queue('b@x.org');
  await world.settle();
  barriers[0]!();
  await world.settle();
  t.strictSame(
    transport.attempts.map(({ mail }) => mail.to),
    ['a@x.org'],
  );
  barriers[1]!();
  await world.settle();
  t.strictSame(
    transport.attempts.map(({ mail }) => mail.to),
    ['a@x.org', 'b@x.org'],
  );
});

void t.test('what a former process left behind goes out at the start', async (t) => {
  const world = new World();
  world.queue('a@x.org');
  await world.settle();
  t.equal(world.transport.attempts.length, 0);
  world.delivery.start();
  await world.settle();
  t.equal(world.transport.attempts.length, 1);
});

void t.test('a mail of a transaction that was taken back is not sent', async (t) => {
  const world = new World();
  world.delivery.start();
  t.throws(() =>
    world.transact((tx) => {
      queueMail(tx, 'a@x.org', { kind: 'sign_up', nonce: 'n' });
      throw new Error('no');
    }),
  );
  await world.settle();
  t.equal(world.transport.attempts.length, 0);
});

void t.test('failures are tried again after longer and longer pauses', async (t) => {
  const world = new World();
  const { transport, clock } = world;
  world.delivery.start();
  world.queue('a@x.org');
  await world.settle();
  const pauses: number[] = [];
  while (world.waiting.length > 0) {
    transport.attempts.at(-1)!.end(new Error('connection refused'));
    await world.settle();
    const [mail] = world.org.mails.values();
    if (!mail) break;
    t.equal(mail.attempts, transport.attempts.length);
    const pause = mail.next_attempt_at - clock.now();
    pauses.push(pause / 1000);
    clock.advance(pause - 1);
    await world.settle();
    t.equal(transport.attempts.length, mail.attempts, 'not too early');
    clock.advance(1000);
    await world.settle();
    t.equal(transport.attempts.length, mail.attempts + 1);
  }
  t.strictSame(
    pauses,
    [30, 60, 120, 240, 480, 960, 1920, 3840, 7680, 14400, 14400, 14400, 14400, 14400, 14400],
  );
  t.equal(transport.attempts.length, 16);
  const ids = new Set(transport.attempts.map(({ mail }) => mail.messageId));
  t.equal(ids.size, 1, 'each attempt has the same Message-ID');
  t.strictSame(world.log.at(-1), ['error', 'a mail was given up']);
});

void t.test(
  'a test mail is answered within five seconds, and waits where nobody said',
  async (t) => {
    const world = new World();
    const { transport, clock } = world;
    world.delivery.start();
    const taken = world.delivery.sendTest('a@x.org');
    await world.settle();
    t.match(transport.attempts[0]!.mail, { to: 'a@x.org', subject: 'A test mail of Example' });
    transport.attempts[0]!.end();
    t.equal(await taken, 'held');
    const refused = world.delivery.sendTest('b@x.org');
    await world.settle();
    transport.attempts[1]!.end(new Error('connection refused'));
    await t.rejects(refused, { message: 'connection refused' });
    t.strictSame(world.waiting, [], 'whoever was told needs no further attempt');
    t.strictSame(world.log.at(-1), ['warn', 'a test mail was not taken']);

    const silent = world.delivery.sendTest('c@x.org');
    await world.settle();
    clock.advance(6000);
    t.equal(await silent, null);
    const reasons: (string | undefined)[] = [];
    for (let attempt = 2; world.waiting.length > 0; attempt++) {
      t.strictSame(world.waiting, ['c@x.org']);
      transport.attempts.at(-1)!.end(new Error('no greeting'));
      await world.settle();
      const [mail] = world.org.mails.values();
      reasons.push(mail?.last_failure);
      clock.advance(3_600_000);
      await world.settle();
      if (attempt > 20) break;
    }
    t.strictSame(reasons, [...Array<string>(4).fill('no greeting'), undefined], 'five attempts');
  },
);

void t.test('a mail that is refused for good is given up at once', async (t) => {
  const world = new World();
  world.delivery.start();
  world.queue('a@x.org');
  world.queue('b@x.org');
  await world.settle();
  world.transport.attempts[0]!.end(new MailRefusedError('no such mailbox'));
  world.transport.attempts[1]!.end();
  await world.settle();
  t.strictSame(world.waiting, []);
  t.strictSame(world.log.sort(), [
    ['error', 'a mail was given up'],
    ['info', 'mail sent'],
  ]);
});

void t.test('four at a time, each mail once', async (t) => {
  const world = new World();
  const { transport } = world;
  world.delivery.start();
  const all = Array.from({ length: 10 }, (_, i) => `u${i}@x.org`);
  for (const to of all) world.queue(to);
  await world.settle();
  t.equal(transport.attempts.length, 4);
  for (let i = 0; i < 10; i++) {
    transport.attempts[i]!.end();
    await world.settle();
  }
  t.strictSame(
    transport.attempts.map(({ mail }) => mail.to),
    all,
  );
  t.strictSame(world.waiting, []);
});

void t.test('a mail that was sent while the store fails is not sent again', async (t) => {
  const world = new World();
  const { transport, clock } = world;
  world.delivery.start();
  world.queue('a@x.org');
  await world.settle();
  world.storeFails = true;
  transport.attempts[0]!.end();
  await world.settle();
  clock.advance(31_000);
  await world.settle();
  t.equal(transport.attempts.length, 1);
  t.strictSame(world.waiting, ['a@x.org']);
  world.storeFails = false;
  clock.advance(31_000);
  await world.settle();
  t.equal(transport.attempts.length, 1);
  t.strictSame(world.waiting, []);
});

void t.test(
  'a store that takes nothing is asked after a pause, and no log is filled',
  async (t) => {
    const world = new World();
    const { transport, clock } = world;
    world.delivery.start();
    world.queue('a@x.org');
    await world.settle();
    world.storeFails = true;
    transport.attempts[0]!.end();
    await world.settle();
    await world.settle();
    t.equal(world.attempted, 1, 'the mail that is there again is no new one');
    t.strictSame(world.log, [['info', 'mail sent']], 'whoever commits has told of the store');
    clock.advance(31_000);
    await world.settle();
    t.equal(world.attempted, 2);
    world.queue('b@x.org');
    await world.settle();
    t.equal(transport.attempts.length, 2, 'a new one goes out at once');
  },
);

void t.test('a mail whose end the store takes back later is not sent again', async (t) => {
  const world = new World();
  const { transport, clock } = world;
  world.delivery.start();
  world.queue('a@x.org');
  await world.settle();
  const [mail] = world.org.mails.values();
  let refuse!: (error: Error) => void;
  world.durable = new Promise((_, reject) => (refuse = reject));
  transport.attempts[0]!.end();
  await world.settle();
  t.strictSame(world.waiting, [], 'deleted, and not durable yet');
  world.transact(({ org }) => org.mails.insert(mail!));
  refuse(storeUnavailable());
  world.durable = Promise.resolve();
  await world.settle();
  t.strictSame(world.waiting, ['a@x.org']);
  clock.advance(31_000);
  await world.settle();
  t.strictSame(world.waiting, []);
  t.equal(transport.attempts.length, 1);
});

void t.test('after the end nothing is taken up, and what is under way is waited for', async (t) => {
  const world = new World();
  const { transport } = world;
  world.delivery.start();
  world.queue('a@x.org');
  await world.settle();
  const drained = world.delivery.drain(60_000);
  world.queue('b@x.org');
  await world.settle();
  t.equal(transport.attempts.length, 1);
  transport.attempts[0]!.end();
  await drained;
  t.strictSame(world.waiting, ['b@x.org'], 'the first is noted as sent');
  world.transport.attempts.length = 0;
  await world.delivery.drain(60_000);
});

void t.test('links are logged only where that is wanted', async (t) => {
  for (const showLinks of [true, false]) {
    const logged: object[] = [];
    const world = new World(showLinks);
    (world.delivery as unknown as { options: { log: object } }).options.log = {
      info: (context: object) => logged.push(context),
    };
    world.delivery.start();
    world.queue('a@x.org');
    await world.settle();
    world.transport.attempts[0]!.end();
    await world.settle();
    t.equal('link' in logged[0]!, showLinks);
  }
});

void t.test('the outbox has a bound', async (t) => {
  const world = new World();
  world.transact((tx) => {
    for (let i = 0; i < 20_000; i++) queueMail(tx, `u${i}@x.org`, { kind: 'sign_up', nonce: 'n' });
  });
  t.throws(() => world.queue('one@more.org'), { status: 503, code: 'SERVICE_UNAVAILABLE' });
});
