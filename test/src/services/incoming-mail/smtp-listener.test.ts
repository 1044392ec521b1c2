import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import nodemailer from 'nodemailer';
import t, { type Test } from 'tap';
import {
  MAX_MAIL_BYTES,
  type MailEnvelope,
  type MailReply,
} from '../../../../src/services/incoming-mail/mail-protocol.js';
import { MailCounts } from '../../../../src/services/incoming-mail/mail-counts.js';
import { SmtpListener } from '../../../../src/services/incoming-mail/smtp-listener.js';

const OK: MailReply = { code: 250, text: 'Accepted' };

/** A listener that takes what the test says. */
class World {
  readonly taken: { envelope: MailEnvelope; raw: Buffer }[] = [];
  readonly counts = new MailCounts();
  readonly listener: SmtpListener;
  port = 0;
  check = (address: string): MailReply =>
    address.startsWith('no') ? { code: 550, text: 'No such\r\n250 address é' } : OK;
  replies = (envelope: MailEnvelope): MailReply[] => envelope.to.map(() => OK);

  private constructor(lmtp: boolean) {
    this.listener = new SmtpListener({
      lmtp,
      name: 'mail.example.com',
      sink: {
        check: async (address) => this.check(address),
        receive: async (envelope, raw) => {
          this.taken.push({ envelope, raw });
          return this.replies(envelope);
        },
      },
      counts: this.counts,
      onError: () => undefined,
      guard: () => undefined,
    });
  }

  static async open(t: Test, lmtp = false): Promise<World> {
    const world = new World(lmtp);
    world.port = await world.listener.listen('127.0.0.1', 0);
    t.teardown(() => world.listener.close());
    return world;
  }

  async client(t: Test): Promise<Client> {
    const client = new Client(connect(this.port, '127.0.0.1'));
    t.teardown(() => client.socket.destroy());
    await client.reply();
    return client;
  }
}

/** Says lines and waits for the replies. */
class Client {
  private text = '';
  private change: () => void = () => undefined;

  constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.text += bytes.toString();
      this.change();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.text += '000 closed\r\n';
      this.change();
    });
  }

  /** The next reply, all lines of it. */
  async reply(): Promise<string> {
    for (;;) {
      const found = /^(?:\d{3}-.*\r\n)*\d{3} .*\r\n/.exec(this.text);
      if (found) {
        this.text = this.text.slice(found[0].length);
        return found[0].trimEnd();
      }
      await new Promise<void>((resolve) => (this.change = resolve));
    }
  }

  say(line: string): Promise<string> {
    this.socket.write(`${line}\r\n`);
    return this.reply();
  }

  async begin(...to: string[]): Promise<void> {
    await this.say('EHLO there');
    await this.say('MAIL FROM:<yorick@example.org>');
    for (const one of to) await this.say(`RCPT TO:<${one}>`);
  }
}

void t.test('a mail is taken with its dots and bytes as they are', async (t) => {
  const world = await World.open(t);
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port: world.port,
    ignoreTLS: true,
  });
  const raw = 'Subject: x\r\n\r\n.dot\r\n..two\r\n\r\nend\r\n';
  const envelope = { from: 'a@x.org', to: ['one@x', 'two@x'] };
  await transport.sendMail({ envelope, raw });
  t.same(world.taken[0]?.envelope, envelope);
  t.equal(world.taken[0]?.raw.toString(), raw);
  t.equal(world.taken.length, 1);
});

void t.test('one reply for all recipients: to come again wins, then to be taken', async (t) => {
  const world = await World.open(t);
  const client = await world.client(t);
  const codeOf = async (...codes: number[]): Promise<string> => {
    world.replies = () => codes.map((code) => ({ code, text: `c${code}` }));
    await client.begin(...codes.map((_code, i) => `u${i}@x`));
    await client.say('DATA');
    return client.say('x\r\n.');
  };
  t.equal(await codeOf(550, 250), '250 c250');
  t.equal(await codeOf(250, 451, 550), '451 c451');
  t.equal(await codeOf(554, 550), '554 c554');
  world.check = () => ({ code: 250, text: 'x' });
  const lmtp = await World.open(t, true);
  lmtp.replies = () => [OK, { code: 451, text: 'later' }, { code: 550, text: 'never' }];
  const other = await lmtp.client(t);
  await other.say('LHLO there');
  await other.say('MAIL FROM:<>');
  for (const to of ['a@x', 'b@x', 'c@x']) await other.say(`RCPT TO:<${to}>`);
  t.equal(await other.say('RCPT TO:<A@x>'), '452 Each recipient once a mail', 'or one reply lacks');
  await other.say('DATA');
  t.equal(await other.say('x\r\n.'), '250 Accepted');
  t.equal(await other.reply(), '451 later');
  t.equal(await other.reply(), '550 never');
  t.equal(lmtp.taken[0]?.envelope.from, '');
  world.check = () => ({ code: 550, text: 'x' });
  const wrong = await world.client(t);
  await wrong.begin('a@x');
  t.equal(new Map(world.counts.all()).get('refused_address'), 1);
});

void t.test('what is not offered, and what is refused', async (t) => {
  const world = await World.open(t);
  const client = await world.client(t);
  const hello = await client.say('EHLO there');
  t.match(hello, /SIZE 26214400/);
  t.notMatch(hello, /STARTTLS|AUTH|XCLIENT/);
  for (const command of [
    'VRFY hamlet',
    'EXPN list',
    'STARTTLS',
    'AUTH PLAIN AGEAYg==',
    'XCLIENT NAME=x',
  ]) {
    t.match(await client.say(command), /^5\d\d /, command);
  }
  await client.say('MAIL FROM:<a@x.org>');
  t.equal(await client.say('RCPT TO:<no@x>'), '550 No such??250 address ?');
  t.match(await client.say('DATA'), /^503 /, 'no recipient');
  for (let i = 0; i < 10; i++) t.match(await client.say(`RCPT TO:<u${i}@x>`), /^250 /);
  t.equal(await client.say('RCPT TO:<u10@x>'), '452 At most 10 recipients a mail');
  await client.say('RSET');
  await client.say('MAIL FROM:<a@x.org>');
  for (let i = 1; i < 20; i++) t.match(await client.say(`RCPT TO:<no${i}@x>`), /^550 /);
  t.equal(await client.say('RCPT TO:<no@x>'), '421 Too many wrong addresses');
  t.equal(await client.reply(), '000 closed');
  t.equal(world.taken.length, 0);
});

void t.test('too large: told before, or when it has come', async (t) => {
  const world = await World.open(t);
  const client = await world.client(t);
  await client.say('EHLO there');
  t.match(await client.say(`MAIL FROM:<a@x.org> SIZE=${MAX_MAIL_BYTES + 1}`), /^552 /);
  await client.begin('u@x');
  await client.say('DATA');
  const piece = Buffer.alloc(1024 * 1024, 'abcdefg\r\n');
  for (let sent = 0; sent <= MAX_MAIL_BYTES + 5 * piece.length; sent += piece.length) {
    if (!client.socket.write(piece)) await once(client.socket, 'drain');
  }
  t.match(await client.say('\r\n.'), /^552 /);
  t.equal(world.taken.length, 0);
  await client.begin('u@x');
  await client.say('DATA');
  t.match(await client.say('fits\r\n.'), /^250 /, 'the connection goes on');
});

void t.test(
  'clients that hold back: the memory for mails is bounded, and given back',
  async (t) => {
    const world = await World.open(t);
    const begin = async (): Promise<Client> => {
      const client = await world.client(t);
      await client.begin('u@x');
      await client.say('DATA');
      return client;
    };
    const piece = Buffer.alloc(1024 * 1024, 'abcdefg\r\n');
    const send = async (client: Client, megabytes: number): Promise<void> => {
      for (let i = 0; i < megabytes; i++) {
        if (!client.socket.write(piece)) await once(client.socket, 'drain');
      }
    };
    const slow = [await begin(), await begin(), await begin(), await begin()];
    for (const client of slow) await send(client, 24);
    const last = await begin();
    await send(last, 24);
    t.equal(await last.say('\r\n.'), '452 Too many mails at once, try again later');
    for (const client of slow) client.socket.destroy();
    // Their ends reach the server before what a later connection says.
    const next = await begin();
    await send(next, 24);
    t.match(await next.say('\r\n.'), /^250 /);
  },
);

void t.test('a line without an end ends the connection', async (t) => {
  const world = await World.open(t);
  const long = await world.client(t);
  long.socket.write('x'.repeat(100_000));
  t.match(await long.reply(), /^421 /);
});
