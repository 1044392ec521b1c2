import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import {
  FolderTransport,
  MailRefusedError,
  SmtpTransport,
  type Mail,
} from '../../../src/services/mail.js';
import { Mailbox, parsed } from '../../system/harness/mailbox.js';
import { testFolder } from '../../fixtures/test-folder.js';

function mail(fields: Partial<Mail> = {}): Mail {
  return {
    from: { name: 'Köln', address: 'noreply@example.org' },
    to: 'a@x.org',
    subject: 'Grüße',
    text: 'Schön.\n',
    html: '<p>Schön.</p>\n',
    messageId: '<mail-1@example.org>',
    date: Date.UTC(2026, 0, 31, 10),
    ...fields,
  };
}

void t.test('SMTP: a mail arrives, with both bodies', async (t) => {
  const mailbox = await Mailbox.open(t, { login: { user: 'parley', password: 'p@ss:word' } });
  const url = `smtp://parley:p%40ss%3Aword@127.0.0.1:${mailbox.port}`;
  const transport = new SmtpTransport(url);
  t.teardown(() => transport.close());
  t.equal(transport.description, `smtp://127.0.0.1:${mailbox.port}`, 'holds no credentials');
  await transport.send(mail());
  t.strictSame(mailbox.logins, ['parley']);
  t.match(mailbox.mails, [
    {
      from: 'noreply@example.org',
      to: ['a@x.org'],
      headers: {
        subject: 'Grüße',
        from: /^Köln <noreply@example\.org>$/,
        'message-id': '<mail-1@example.org>',
        date: 'Sat, 31 Jan 2026 10:00:00 +0000',
        'auto-submitted': 'auto-generated',
      },
      text: 'Schön.\n',
      html: '<p>Schön.</p>\n',
    },
  ]);
});

void t.test('SMTP: what is refused for good, and what for a while', async (t) => {
  const codes: Record<string, number> = { 'gone@x.org': 550, 'full@x.org': 452 };
  const mailbox = await Mailbox.open(t, {
    refuse: (to) => (codes[to] ? { code: codes[to], message: 'no' } : null),
  });
  const transport = new SmtpTransport(mailbox.url);
  t.teardown(() => transport.close());
  const failure = (to: string) =>
    transport.send(mail({ to })).then(
      () => null,
      (error: unknown) => error,
    );
  t.ok((await failure('gone@x.org')) instanceof MailRefusedError);
  const full = await failure('full@x.org');
  t.ok(full instanceof Error && !(full instanceof MailRefusedError));
  t.equal(await failure('a@x.org'), null, 'one that is refused does not stop the next');
});

void t.test('SMTP: a server that is away, or that refuses the login, may come round', async (t) => {
  const mailbox = await Mailbox.open(t, { login: { user: 'parley', password: 'right' } });
  const wrong = new SmtpTransport(`smtp://parley:wrong@127.0.0.1:${mailbox.port}`);
  t.teardown(() => wrong.close());
  const failure = await wrong.send(mail()).catch((error: unknown) => error);
  t.ok(failure instanceof Error && !(failure instanceof MailRefusedError));
  const { port } = await Mailbox.open(t).then(async (other) => {
    await other.close();
    return other;
  });
  const away = new SmtpTransport(`smtp://127.0.0.1:${port}`);
  t.teardown(() => away.close());
  t.notOk((await away.send(mail()).catch((error: unknown) => error)) instanceof MailRefusedError);
});

void t.test('a folder: one file per mail, for the owner of the data alone', async (t) => {
  const folder = join(testFolder(t), 'mail');
  const transport = new FolderTransport(folder);
  await transport.send(mail());
  await transport.send(mail());
  const names = await readdir(folder);
  t.strictSame(names, ['2026-01-31T10-00-00.000Z-mail-1example.org.eml'], 'a copy replaces itself');
  const path = join(folder, names[0]!);
  t.equal((await stat(path)).mode & 0o777, 0o600);
  t.equal((await stat(folder)).mode & 0o777, 0o700);
  t.match(parsed(await readFile(path, 'latin1')), { headers: { to: 'a@x.org' }, text: 'Schön.\n' });
});

void t.test('a folder keeps the newest', async (t) => {
  const folder = testFolder(t);
  const transport = new FolderTransport(folder, 3);
  for (let i = 1; i <= 5; i++) {
    await transport.send(mail({ messageId: `<mail-${i}@x>`, date: Date.UTC(2026, 0, i) }));
  }
  const kept = (await readdir(folder)).map((name) => name.slice(0, 10));
  t.strictSame(kept.sort(), ['2026-01-03', '2026-01-04', '2026-01-05']);
});
