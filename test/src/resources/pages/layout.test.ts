import t from 'tap';
import { badRequest, notFound, rateLimitHit } from '../../../../src/errors/index.js';
import { errorPage } from '../../../../src/resources/pages/layout.js';
import { documentsIn } from '../../../fixtures/documents-in.js';
import { htmlOf, InviteWorld } from '../../../fixtures/invite-world.js';

void t.test(
  'the way into an organization is in the language that the browser asks for',
  async (t) => {
    const world = new InviteWorld();
    const { org, hamlet } = world;
    const invited = async (email: string) => {
      await world.invite(hamlet, email);
      return world.mailedKey(email);
    };
    const key = await invited('zoe@x.org');
    world.language = 'ar';
    const form = htmlOf(await world.visit('GET', `/accounts/do_confirm/${key}`));
    t.match(form, '<html lang="ar" dir="rtl">');
    t.match(form, '<title>الانضمام إلى Example · Example</title>');
    t.match(form, '<p>سيكون عنوان حسابك <strong>zoe@x.org</strong>.</p>');
    t.match(form, '<small id="password-hint">8 أحرف على الأقل، ويصعب تخمينها.</small>');
    const request = {
      values: {},
      fields: new Map([['key', key]]),
      remoteAddress: '192.0.2.1',
      language: 'ar' as const,
    };
    const page = world.pages.find((one) => one.path === '/accounts/register/')!;
    const again = (error: Error) => page.again!(request, error as never)!.text;
    t.match(again(badRequest('Name too short!')), '<p role="alert">الاسم قصير جدًا!</p>');
    t.match(again(rateLimitHit(2)), 'أعد المحاولة بعد ثانيتين.');
    t.match(
      again(badRequest('Of no page')),
      '<p role="alert">Of no page</p>',
      'as the API says it',
    );
    const arabic = await world.accept('zoe@x.org', {});
    t.equal(org.settings.value(arabic.user_id, 'default_language'), 'ar', 'and so it stays');
    const said = world.entries.flatMap(({ content }) => documentsIn(content.writes, 'message'));
    const texts = said.map(({ content }) => (content as string).split('\n')[0]);
    t.ok(
      texts.includes('مرحبًا بك في Example! 👋 هذه رسالة مباشرة مني، أنا Welcome Bot.'),
      'to them',
    );
    const who = `@_**Zoe Zebra|${arabic.user_id}**`;
    t.ok(texts.includes(`${who} accepted your invitation to join!`), 'to the inviter');

    world.language = null;
    world.setRealm({ default_language: 'de' });
    const german = htmlOf(
      await world.visit('GET', `/accounts/do_confirm/${await invited('yan@x.org')}`),
    );
    t.match(german, '<title>Example beitreten · Example</title>', 'else that of the organization');
    const account = await world.accept('yan@x.org', {});
    t.equal(org.settings.value(account.user_id, 'default_language'), 'de');
    world.language = 'de';
    await invited('xan@x.org');
    const same = await world.accept('xan@x.org', {});
    const { edited = [] } = org.settings.get(same.user_id) ?? {};
    t.strictSame(edited, [], 'nothing was chosen where that is the language anyway');
    t.match(errorPage(org, notFound(), 'ja').text, /<html lang="ja" dir="ltr">[^]*見つかりません/);
  },
);
