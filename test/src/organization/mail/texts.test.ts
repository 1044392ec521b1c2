import t from 'tap';
import type { MailContent } from '../../../../schemas/mail/outgoing-mail-document.js';
import { composeMail } from '../../../../src/organization/mail/texts.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { LivingOrganization, START_MS } from '../../../fixtures/living-organization.js';

const keys = new LinkKeys(Buffer.alloc(32, 7));
const world = new LivingOrganization();

function compose(content: MailContent) {
  const document = {
    id: 7,
    to: 'a@x.org',
    content,
    created_at: START_MS,
    attempts: 0,
    next_attempt_at: 0,
  };
  return composeMail(world.org, keys, document, 'noreply@chat.example.com');
}

const invitation: MailContent = {
  kind: 'invitation',
  nonce: 'n',
  referrer_name: 'Hamlet <b>',
  referrer_email: 'hamlet@example.com',
  expires_at: START_MS,
};

void t.test('an invitation says who invites to what, and until when', async (t) => {
  const mail = compose(invitation);
  t.equal(mail.subject, 'Hamlet <b> has invited you to join Example');
  t.equal(
    mail.text,
    'Hamlet <b> (hamlet@example.com) wants you to join Example, a team chat at ' +
      'https://chat.example.com.\n\n' +
      `Complete registration:\nhttps://chat.example.com/accounts/do_confirm/${keys.key('n')}\n\n` +
      'The link works until 2026-01-31, 10:00 UTC.\n\n' +
      'If you did not expect this, ignore this mail.\n',
  );
  t.match(mail.html, 'Hamlet &lt;b&gt; (hamlet@example.com)');
  t.notMatch(mail.html, 'Hamlet <b>');
  t.match(compose({ ...invitation, expires_at: null }).text, 'The link does not expire.');
  t.notMatch(compose({ ...invitation, referrer_email: null }).text, 'hamlet@example.com');
});

void t.test('a name cannot begin another header', async (t) => {
  const mail = compose({ ...invitation, referrer_name: 'Eve\r\nBcc: all@x.org' });
  t.equal(mail.subject, 'Eve Bcc: all@x.org has invited you to join Example');
});

void t.test('each kind has its link', async (t) => {
  const base = 'https://chat.example.com/accounts';
  const key = keys.key('n');
  const cases: [MailContent, string | null][] = [
    [{ kind: 'sign_up', nonce: 'n' }, `${base}/do_confirm/${key}`],
    [
      { kind: 'confirm_new_email', nonce: 'n', old_email: 'o@x.org', new_email: 'a@x.org' },
      `${base}/confirm_new_email/${key}`,
    ],
    [{ kind: 'password_reset', nonce: 'n', user_id: 9 }, `${base}/password/reset/9/${key}/`],
    [{ kind: 'email_changed', full_name: 'Al', new_email: 'n@x.org' }, null],
  ];
  for (const [content, link] of cases) {
    const { text, html } = compose(content);
    if (link === null) t.notMatch(text, '/accounts/');
    else {
      t.match(text, `${link}\n`);
      t.match(html, `<a href="${link}" style="`);
      t.match(html, 'overflow-wrap: anywhere', 'a long address stays within the mail');
    }
  }
});

void t.test('a mail is in the language of who gets it', async (t) => {
  const world = new LivingOrganization();
  const { org, owner } = world;
  const speaks = (default_language: string) =>
    world.transact((tx) => tx.org.settings.update(owner.user_id, { default_language }));
  const mailTo = (to: string, content: MailContent) =>
    composeMail(
      org,
      keys,
      { id: 7, to, content, created_at: START_MS, attempts: 0, next_attempt_at: 0 },
      'noreply@chat.example.com',
    );
  const reset: MailContent = { kind: 'password_reset', nonce: 'n', user_id: owner.user_id };
  world.presetSettings(owner, { default_language: 'de' });
  const german = mailTo('owner@example.com', reset);
  t.equal(german.subject, 'Neues Passwort für Example setzen');
  t.equal(
    german.text,
    'Jemand, vermutlich du, hat für dein Konto unter https://chat.example.com ein neues Passwort angefordert.\n\n' +
      `Neues Passwort setzen:\nhttps://chat.example.com/accounts/password/reset/${owner.user_id}/${keys.key('n')}/\n\n` +
      'Der Link gilt einen Tag, bis dahin gilt dein jetziges Passwort. Wenn du es nicht warst, ignoriere diese E-Mail.\n',
  );
  t.match(german.html, '<html lang="de" dir="ltr">');
  speaks('ar');
  const arabic = mailTo('owner@example.com', reset);
  t.equal(arabic.subject, 'تعيين كلمة مرور جديدة في Example');
  t.match(arabic.html, '<html lang="ar" dir="rtl">');
  t.match(arabic.html, '<div lang="ar" dir="rtl" style="');
  const changed: MailContent = {
    kind: 'email_changed',
    full_name: 'Olive Owner',
    new_email: 'owner@example.com',
  };
  t.match(mailTo('before@x.org', changed).text, /^مرحبًا Olive Owner،\n/, 'to the former address');
  t.match(mailTo('new@x.org', invitation).subject, / has invited you to join Example$/);
  world.setRealm({ default_language: 'ja' });
  t.equal(
    mailTo('new@x.org', invitation).subject,
    'Hamlet <b> さんから Example への招待が届いています',
    'who has no account, in the language of the organization',
  );
});
