import t from 'tap';
import { texts } from '../../../../src/languages/texts.js';
import { messageText } from '../../../../src/organization/incoming-mail/mail-text.js';
import type { MailContent } from '../../../../src/services/incoming-mail/mail-content.js';

const FILES = [{ name: 'a.txt', path_id: '1/ab/xyz/a.txt' }];
const LINK = '[a.txt](/user_uploads/1/ab/xyz/a.txt)';
const mail = (from: string): MailContent => ({
  id: '1',
  from,
  subject: '',
  texts: [],
  files: [],
  omittedFiles: 0,
  isAutomatic: false,
  isAutoReply: false,
  isOwn: false,
  hops: 0,
});

const say = texts('notices', 'en');

void t.test('a block of code that stays open takes no file', (t) => {
  const ann = mail('Ann <ann@example.org>');
  t.equal(
    messageText(say, ann, 'look', true, FILES),
    `From: Ann <ann@example.org>\nlook\n\n${LINK}`,
  );
  t.equal(
    messageText(say, ann, 'look\n~~~\nmake', true, FILES),
    `From: Ann <ann@example.org>\n${LINK}\n\nlook\n~~~\nmake`,
  );
  const cut = messageText(say, ann, `\`\`\`\n${'x\n'.repeat(9000)}\`\`\``, false, FILES);
  t.ok(cut.startsWith(`${LINK}\n\n\`\`\`\nx\n`));
  t.match(cut, /\[message truncated\]$/);
  t.end();
});

void t.test('a mail that does not say who sent it has no line for that', (t) => {
  t.equal(messageText(say, mail(''), 'hello', true, []), 'hello');
  t.end();
});

void t.test('what is taken out of the name of a file makes no mention whole', (t) => {
  const files = [{ name: 'a@\ud800**all**.txt', path_id: '1/ab/xyz/a.txt' }];
  const link = '[a@&#42;&#42;all&#42;&#42;.txt](/user_uploads/1/ab/xyz/a.txt)';
  t.equal(messageText(say, mail(''), 'hello', false, files), `hello\n\n${link}`);
  t.end();
});
