import t from 'tap';
import { MAX_RECEIVED_MAILS } from '../../../../schemas/limits.js';
import {
  rateLimitHit,
  serviceUnavailable,
  storeUnavailable,
} from '../../../../src/errors/index.js';
import { mail, MailWorld } from '../../../fixtures/mail-world.js';

void t.test('what may pass is for later, and leaves nothing', async (t) => {
  const world = new MailWorld();
  const body = '--b\nContent-Disposition: attachment; filename=a.txt\n\nx\n--b--';
  const raw = mail(body, { 'Content-Type': 'multipart/mixed; boundary=b' });
  world.pace = () => {
    throw rateLimitHit(60);
  };
  t.equal((await world.take(world.address, raw)).code, 451);
  const unreadable = Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(5001));
  t.equal((await world.take(world.address, unreadable)).code, 451, 'counted before it is read');
  world.pace = () => undefined;
  t.same(await world.take(world.address, unreadable), {
    code: 554,
    text: 'The mail cannot be read: it has more than 5000 parts',
  });
  world.durable = () => Promise.reject(serviceUnavailable('The store is away'));
  t.equal((await world.take(world.address, raw)).code, 451);
  world.durable = async () => undefined;
  t.equal((await world.take(world.address, raw)).code, 250, 'it was durable after all');
  t.equal(world.org.attachments.of(world.gateway.user_id).length, 1, 'one message, one file');
  t.same(world.faults, []);
  world.transact((tx) => tx.org.realm.update('realm', { upload_quota_mib: 0 }));
  const other = mail(body, { 'Content-Type': 'multipart/mixed; boundary=b', Subject: 'full' });
  t.match(await world.take(world.address, other), { code: 550, text: /quota/i });
  t.equal(world.files.size, 1);
});

void t.test('files of a mail stay until the store refused it for good', async (t) => {
  const world = new MailWorld();
  const body = '--b\nContent-Disposition: attachment; filename=a.txt\n\nx\n--b--';
  const raw = mail(body, { 'Content-Type': 'multipart/mixed; boundary=b' });
  const transact = world.transact.bind(world);
  let takenBack: readonly (() => void)[] = [];
  world.transact = (work) =>
    transact((tx) => {
      takenBack = tx.takenBack;
      return work(tx);
    });
  world.durable = () => Promise.reject(serviceUnavailable('The store is away'));
  t.equal((await world.take(world.address, raw)).code, 451);
  t.equal(world.files.size, 1, 'it may become durable');
  takenBack.forEach((work) => work());
  t.equal(world.files.size, 0);
});

void t.test('what becomes of mails is counted, each address by itself', async (t) => {
  const world = new MailWorld();
  const { address } = world;
  const late = world.addresses.ofReply(world.hamlet.user_id, 99_999, world.clock.now());
  await world.take(address, mail('a', { 'Message-ID': '<1@x>' }));
  await world.take(address, mail('a', { 'Message-ID': '<1@x>' }));
  await world.incoming.receive({ from: 'a@x', to: [late, address, 'x@y'] }, mail('c'));
  await world.take(address, mail('d', { 'Auto-Submitted': 'auto-replied' }));
  await world.take(address, mail('e', { 'X-Parley-Mail': '1' }));
  await world.take(address, mail(''));
  await world.take(address, Buffer.from('Content-Type: message/rfc822\r\n\r\n'.repeat(5001)));
  world.pace = () => {
    throw rateLimitHit(60);
  };
  await world.take(address, mail('f'));
  world.pace = () => undefined;
  world.changeGeneral({ can_send_message_group: world.org.groups.system('role:nobody').id });
  await world.take(address, mail('g'));
  t.same(Object.fromEntries(world.counts.all()), {
    ...{ accepted: 2, repeated: 1, deferred: 1, refused_address: 2, refused_rights: 1 },
    ...{ refused_automatic: 1, refused_circle: 1, refused_empty: 1, refused_unreadable: 1 },
    refused_size: 0,
  });
});

void t.test('mails are remembered within bounds', async (t) => {
  const world = new MailWorld();
  world.transact((tx) => {
    for (let i = 0; i < MAX_RECEIVED_MAILS; i++) {
      tx.org.receivedMails.insert({ digest: `old-${i}`, received_at: i });
    }
  });
  t.equal((await world.take(world.address, mail('new'))).code, 250);
  t.equal(world.org.receivedMails.size, MAX_RECEIVED_MAILS - 99);
  t.notOk(world.org.receivedMails.has('old-99'));
  t.ok(world.org.receivedMails.has('old-100'));
});

void t.test('a mail server is told nothing that the store does not have yet', async (t) => {
  const world = new MailWorld();
  const nobody = world.org.groups.system('role:nobody').id;
  let settle = (): void => undefined;
  const toWrite = (): void => {
    const written = new Promise<void>((done) => (settle = done));
    world.durable = () => written;
  };
  const answered: number[] = [];
  const take = async (text = 'x'): Promise<void> => {
    answered.push((await world.take(world.address, mail(text))).code);
  };
  toWrite();
  const taken = take();
  const newest = world.org.counters.last('message');
  while (world.org.counters.last('message') === newest)
    await new Promise((done) => setImmediate(done));
  world.changeGeneral({ can_send_message_group: nobody });
  const refused = take('y');
  for (let round = 0; round < 10; round++) await new Promise((done) => setImmediate(done));
  t.same(answered, [], 'neither that it was taken, nor that it may not be sent');
  settle();
  await Promise.all([taken, refused]);
  t.same(answered, [250, 550]);
  world.durable = () => Promise.reject(storeUnavailable());
  await take('y');
  t.same(answered.at(-1), 451, 'the right may not have been taken away');
});
