import t from 'tap';
import { BrowserSession } from '../harness/browser-session.js';
import { startOrganization } from '../harness/organization.js';

void t.test('pages are in the language of the browser, and of who is logged in', async (t) => {
  const { server, hamlet } = await startOrganization(t);
  const page = async (path: string, headers: Record<string, string>): Promise<string> => {
    const response = await fetch(server.url + path, {
      headers: { Accept: 'text/html', 'Accept-Language': 'ar, en;q=0.5', ...headers },
    });
    return response.text();
  };
  const visited = await page('/', {});
  t.match(visited, '<html lang="ar" dir="rtl">');
  t.match(visited, '<title>تسجيل الدخول · ');
  const [, messages = ''] = /<script defer src="(\/web\/chat_ar-\w+\.js)">/.exec(visited) ?? [];
  const script = await (await fetch(server.url + messages)).text();
  t.match(script, 'كلمة المرور', 'its script has this language alone');
  t.notMatch(script, 'Passwort');
  t.match(await page('/nowhere/', {}), '<html lang="ar" dir="rtl">', 'errors, too');
  const [, refusals = ''] = /content="(\/web\/refusals_ar-\w+\.js)"/.exec(visited) ?? [];
  const known = await (await fetch(server.url + refusals)).text();
  t.match(known, 'كلمة المرور غير صحيحة', 'and what the form to log in refuses with');
  const form = { Accept: 'text/html', 'Accept-Language': 'ja' };
  const body = new URLSearchParams({ email: 'no address' });
  const sent = { method: 'POST', headers: form, body };
  const refused = await (await fetch(`${server.url}/register/`, sent)).text();
  t.match(refused, 'role="alert">この組織に参加するには招待が必要です。');
  const browser = new BrowserSession(server.url);
  await browser.logIn('hamlet@example.org', 'willow-anchor-hamlet-47');
  const own = { Cookie: browser.cookie };
  t.match(await page('/', own), '<html lang="en" dir="ltr">', 'what is set counts');
  await hamlet.ok('PATCH', '/settings', { default_language: 'de' });
  for (const path of ['/', '/console']) {
    const shown = await page(path, own);
    t.match(shown, '<html lang="de" dir="ltr">', path);
    t.match(shown, path === '/' ? /\/web\/chat_de-\w+\.js/ : /\/web\/console_de-\w+\.js/);
  }
  await hamlet.ok('PATCH', '/settings', { default_language: 'en' });
});
