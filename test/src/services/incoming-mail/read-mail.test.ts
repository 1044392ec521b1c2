import t from 'tap';
import type { ReadingOptions } from '../../../../src/services/incoming-mail/mail-content.js';
import {
  MailReader,
  MailsWaitingError,
} from '../../../../src/services/incoming-mail/mail-reader.js';
import { readMail } from '../../../../src/services/incoming-mail/read-mail.js';
import { withoutFooter, withoutQuotes } from '../../../../src/services/incoming-mail/quotes.js';
import { processorTime, processorTimeOf, takesLess } from '../../../fixtures/machine-load.js';

const PLAIN: ReadingOptions = { includeQuotes: false, includeFooter: false, preferHtml: false };

const read = (text: string, reading = PLAIN) =>
  readMail(Buffer.from(text.replaceAll('\n', '\r\n'), 'latin1'), [reading]);
const textOf = async (text: string, reading = PLAIN): Promise<string> =>
  (await read(text, reading)).texts[0]!;
const html = (body: string): string => `Content-Type: text/html; charset=utf-8\n\n${body}`;

void t.test('quotations of earlier mails are cut in the forms of common programs', async (t) => {
  const cut = (text: string): boolean => t.equal(withoutQuotes(`Mine.\n\n${text}`), 'Mine.', text);
  cut('On Mon, 2 Feb 2026 at 10:00, Hamlet <h@x> wrote:\n> To be\n> or not');
  cut('On Mon, 2 Feb 2026 at 10:00,\nHamlet Prince of Denmark\n<h@x> wrote:\n\n> To be');
  cut('On Mon, 2 Feb 2026 Hamlet wrote:\n\nTo be, unmarked');
  cut('Am 02.02.2026 um 10:00 schrieb Hamlet:\n> Sein');
  cut('Le 2 février 2026 à 10:00, Hamlet a écrit :\n> Être');
  // Gmail in Russian, Ukrainian, Turkish, Japanese, Korean, Chinese and Czech.
  cut('пн, 2 февр. 2026 г. в 10:00, Иван Иванов <ivan@example.org>:\n\n> Быть');
  cut('пн, 2 лют. 2026 р. о 10:00 Іван <ivan@example.org> пише:\n> Бути');
  cut('Ahmet Yılmaz <ahmet@example.org>, 2 Şub 2026 Pzt, 10:00 tarihinde\nşunu yazdı:\n> Olmak');
  cut('2026年2月2日(月) 10:00 山田太郎 <taro@example.org>:\n> 生きる');
  cut('2026년 2월 2일 (월) 오전 10:00, 홍길동 <hong@example.org>님이 작성:\n> 사느냐');
  cut('张三 <zhang@example.org> 于2026年2月2日周一 10:00写道：\n> 生存');
  cut('po 2. 2. 2026 v 10:00 odesílatel Jan <jan@example.org> napsal:\n> Být');
  cut('-----Original Message-----\nFrom: Hamlet\nanything');
  cut('---------- Forwarded message ---------\nanything');
  cut(
    '________________________________\nFrom: Hamlet <h@x>\nSent: Monday\nTo: Ophelia\nSubject: x\n\nTo be',
  );
  cut('**Von:** Hamlet\n**Gesendet:** Montag\n**An:** Ophelia\n**Betreff:** x\n\nSein');
  cut('> only\n> quoted\n\n> lines\n');
  const kept = (text: string): boolean => t.equal(withoutQuotes(text), text);
  kept('> To be?\nYes.\n> Or not?\nNo.');
  kept('On 2 Feb Hamlet wrote:\n> To be?\nYes.\n> Or not?\nNo.');
  kept('> nothing of my own');
  kept('From: here to there is far.\nI wrote: so.');
  kept('The list of 12:\n\n* one');
  kept('At 10:00 ask Jan <jan@example.org>:\n\n* one');
  kept('At 10 ask Jan <jan@example.org>:\n> To be?\nYes.');
  t.equal(withoutFooter('Text\n-- \nFoot'), 'Text');
  t.equal(withoutFooter('a\n--\nb\n--\nc'), 'a\n--\nb\n--\nc', 'tables have several');
  t.equal(withoutFooter('--\nall'), '--\nall');
  const long = [
    'On 1 '.repeat(40_000),
    '> '.repeat(100_000),
    'From: x\n'.repeat(25_000),
    'On 1\n'.repeat(40_000),
    '*'.repeat(200_000),
  ];
  const cutAll = (): void => {
    for (const text of long) {
      withoutQuotes(text);
      withoutFooter(text);
    }
  };
  await takesLess(t, 'grows with the text', 2000, () => processorTime(cutAll));
});

void t.test('a mail of HTML becomes Markdown', async (t) => {
  t.equal(
    await textOf(
      html(
        '<h1>Title</h1><p>a <b>bold</b>, <i>slanted</i> <a href="https://x.example/">link</a></p><ul><li>one<li>two</ul><pre><code>x = 1</code></pre>',
      ),
    ),
    '# Title\n\na **bold**, *slanted* [link](https://x.example/)\n\n*   one\n*   two\n\n```\nx = 1\n```',
  );
  t.equal(
    await textOf(html('snake_case 1. *stars* [x]')),
    'snake_case 1. *stars* [x]',
    'no escapes',
  );
  t.equal(
    await textOf(
      html(
        '<script>alert(1)</script><style>p{}</style><p onclick="x()">safe <a href="javascript:alert(1)">click</a></p><img src="https://count.example/1.gif"><img alt="Chart" src="https://x.example/c.png"><img alt="in" src="cid:1">',
      ),
    ),
    'safe click\n\n[Chart](https://x.example/c.png)in',
  );
  t.equal(
    await textOf(
      html(
        '<p>Mine</p><div class="gmail_quote"><div class="gmail_attr">On Monday</div><blockquote>theirs</blockquote></div>',
      ),
    ),
    'Mine',
  );
  t.equal(await textOf(html('<p>Mine</p><blockquote type="cite">theirs</blockquote>')), 'Mine');
  t.match(await textOf(html('<div class="gmail_quote"><p>all</p></div>')), /all/);
  t.match(
    await textOf(html('<p>Mine</p><blockquote type="cite">theirs</blockquote>'), {
      ...PLAIN,
      includeQuotes: true,
    }),
    /theirs/,
  );
});

void t.test('a mail of another charset or without an end is read as far as it goes', async (t) => {
  t.equal(
    await textOf(
      'Content-Type: text/plain; charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable\n\ncaf=E9',
    ),
    'café',
  );
  t.equal(
    await textOf('Content-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4'),
    'Привет',
  );
  t.match(await textOf('Content-Type: text/plain; charset=no-such-charset\n\nplain'), /plain/);
  t.equal(
    await textOf('Content-Type: text/plain; charset=utf-8\n\n\xff\xfe bad'),
    '\ufffd\ufffd bad',
  );
  t.equal(await textOf('\n\x00a\x07b\x1b[31m\tc'), 'ab[31m\tc', 'controls');
  t.equal(await textOf('no headers at all'), '');
  t.equal(await textOf(''), '');
  t.equal(await textOf('Content-Type: multipart/mixed\n\nno boundary'), '');
  t.equal(
    await textOf('Content-Type: multipart/mixed; boundary=b\n\n--b\n\nnever closed'),
    'never closed',
  );
  t.match(await textOf('Content-Transfer-Encoding: base64\n\n!!!!SGVsbG8=!!'), /./);
  const { subject, from, id } = await read(
    'Subject: a\n\tb\x00c\nFrom: =?utf-8?Q?A=0AB?= <a@x>\nMessage-ID: <1@x>\n\nx',
  );
  t.same({ subject, from, id }, { subject: 'a bc', from: 'A B <a@x>', id: '<1@x>' });
});

void t.test('a mail with too deep nesting or too large headers is refused', async (t) => {
  const nested = Array.from(
    { length: 2000 },
    (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
  ).join('');
  await t.rejects(read(nested), /nesting/i);
  await t.rejects(read(`X: ${'y'.repeat(1_100_000)}\n\nx`), /header/i);
  const rfc822 = Array.from({ length: 500 }, () => 'Content-Type: message/rfc822\n\n').join('');
  t.ok(await read(`${rfc822}Subject: deep\n\nx`));
});

void t.test('mails of too many parts or lines are refused before they are read', async (t) => {
  const typed = (boundary: string): string =>
    `Content-Type: Multipart/Mixed;\n\tx=1; boundary = "${boundary}"\n\n`;
  const part = '--a b\n\nx\n';
  t.equal((await read(typed('a b') + part.repeat(5000))).texts.length, 1);
  const parts = /it has more than 5000 parts/;
  await t.rejects(read(typed('a b') + part.repeat(5001)), parts);
  await t.rejects(read(typed('b').replaceAll('"', '') + '--b\n'.repeat(100_000)), parts);
  const within = `${typed('b')}--b\n${typed('c')}${'--c\n\n'.repeat(2501)}--c--\n`;
  await t.rejects(read(within + `--b\n${typed('d')}${'--d  \n\n'.repeat(2501)}`), parts);
  await t.rejects(read('Content-Type: message/rfc822\n\n'.repeat(5001)), parts);
  const lines = /it has more than 100000 lines of text that is not encoded/;
  const plain = 'x\n'.repeat(100_001);
  await t.rejects(read(`\n${plain}`), lines);
  await t.rejects(
    read(`Content-Type: image/png\n\nContent-Transfer-Encoding: base64\n${plain}`),
    lines,
  );
  await t.rejects(read(`${typed('?')}--other\n${plain}`), lines, 'what is no part of it, too');
  const encoded = 'Content-Transfer-Encoding: BASE64\nContent-Type: image/png\n\n';
  const line = `${'QUFB'.repeat(10)}\n`;
  t.equal((await read(encoded + line.repeat(200_000))).files[0]?.data.length, 6_000_000);
  await t.rejects(read(encoded + line.repeat(1_000_001)), /it has more than 1000000 lines/);
});

void t.test('half a million short lines of an encoding count as plain ones', async (t) => {
  const encoded = 'Content-Transfer-Encoding: base64\nContent-Type: image/png\n\n';
  await t.rejects(read(encoded + 'QUFB\n'.repeat(100_001)), /100000 lines of text .* or short/);
});

void t.test('no HTML takes longer than its text, however it is nested', async (t) => {
  const most = 200_000;
  const filled = (start: string, unit: string): string =>
    start + unit.repeat(Math.floor((most - start.length) / unit.length));
  for (const body of [
    ...['<div>', '<b>', '<b><i>', '<ul><li>', '<ol><li>x', '<blockquote>'].map((unit) =>
      filled('', unit),
    ),
    ...['<li>x</li>', '<table><p>', '<b><p></b></p>', '&nbsp;', '<p> <b> x </b> </p>'].map((unit) =>
      filled('', unit),
    ),
    ...['<ol><li>', '<blockquote>'].map((unit) => filled(unit.repeat(50), 'x<br>')),
    filled('<ol>', '<li>x</li>'),
    filled('<a>'.repeat(30_000), '</b>'),
  ]) {
    const read = (): Promise<unknown> =>
      textOf(html(`<p>first</p>${body}`), { ...PLAIN, includeQuotes: true });
    await takesLess(t, body.slice(0, 20), 2000, () => processorTimeOf(read));
  }
  const deep = `<p>first</p>${'<div>'.repeat(900)}last`;
  t.equal(
    await textOf(html(deep)),
    'first\n\nlast',
    'what is nested less deep than a thousand tags is read',
  );
  t.equal(await textOf(html(`<p>first</p>${'<div>'.repeat(1100)}last`)), 'first');
});

const SLOW = new URL('./slow-thread.js', import.meta.url);
const ANYBODY = { source: 'user 1', account: 'channel 1' };

void t.test('the thread ends what takes too long', async (t) => {
  const reader = new MailReader(1500, SLOW);
  t.teardown(() => reader.stop());
  const [first, second, third] = await Promise.allSettled(
    ['one', 'endless', 'two'].map((text) => reader.read(Buffer.from(text), [PLAIN], ANYBODY)),
  );
  t.match(first, { value: { subject: 'one' } });
  t.ok(
    second?.status === 'rejected' && second.reason instanceof MailsWaitingError,
    'perhaps the machine is slow: its sender may try again',
  );
  t.match(third, { value: { subject: 'two' } });
});

void t.test('the thread reads a mail in each of its readings', async (t) => {
  const reader = new MailReader();
  t.teardown(() => reader.stop());
  const good = Buffer.from('Subject: next\r\n\r\nfine');
  const content = await reader.read(good, [PLAIN, { ...PLAIN, preferHtml: true }], ANYBODY);
  t.match(content, { subject: 'next', texts: ['fine', 'fine'] });
  reader.stop();
  const ended: unknown = await reader.read(good, [PLAIN], ANYBODY).catch((error: unknown) => error);
  t.ok(ended instanceof MailsWaitingError);
});

void t.test('mails to one address do not refuse those to another one', async (t) => {
  const reader = new MailReader(60_000, SLOW);
  t.teardown(() => reader.stop());
  const read: string[] = [];
  const send = async (name: string, account: string): Promise<string> => {
    const claimant = { source: 'user 1', account };
    try {
      read.push((await reader.read(Buffer.from(name), [PLAIN], claimant)).subject);
      return 'read';
    } catch (error) {
      return error instanceof MailsWaitingError ? 'later' : 'refused';
    }
  };
  const many = Array.from({ length: 12 }, (_, i) => send(`mail ${i}`, 'channel 1'));
  const other = send('honest', 'channel 2');
  t.strictSame(
    await Promise.all([...many, other]),
    [...Array<string>(8).fill('read'), ...Array<string>(4).fill('later'), 'read'],
    'the thirteenth takes the place of the last one that waited',
  );
  t.strictSame(read.slice(0, 3), ['mail 0', 'honest', 'mail 1']);
});
