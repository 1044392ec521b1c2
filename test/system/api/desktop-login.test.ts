/** Logging in by another service in the desktop app, through the browser that it opens. */
import { createDecipheriv, randomBytes } from 'node:crypto';
import t from 'tap';
import { Browser } from '../../src/services/fixtures/openid-server.js';
import { isAccessible, noBrowser, openBrowser, openTab, until } from '../harness/browser.js';
import type { Body } from '../harness/client.js';
import {
  BEGIN,
  carriedToken,
  finish,
  me,
  shownToken,
  startSingleSignOn,
  verified,
} from '../harness/single-sign-on.js';

t.setTimeout(120_000);

void t.test('the desktop app gets a login through the browser that it opens', async (t) => {
  const world = await startSingleSignOn(t);
  const { server, provider, owner } = world;
  provider.visitor = { sub: 'h', claims: verified('hamlet@example.org') };
  const agent = { 'User-Agent': 'ZulipElectron/5.11.1 (Linux 6.1)' };
  const key = randomBytes(32);
  const begin = async (): Promise<Browser> => {
    const app = new Browser();
    const page = await app.get(`${server.url}${BEGIN}`, agent);
    t.equal(page.status, 200, 'the provider is not shown in the app');
    const text = await page.text();
    t.match(text, '<form id="desktop-login" method="post" action="/accounts/login/desktop/corp"');
    t.match(text, '<script type="module" src="/static/desktop-login.js"></script>');
    return app;
  };
  const carry = (): Promise<string> => carriedToken(server, key);
  const log = async (app: Browser, token: string) => {
    const address = `${server.url}/accounts/login/desktop/corp`;
    const response = await app.post(address, { token }, { Accept: 'application/json', ...agent });
    return { status: response.status, body: (await response.json()) as Body };
  };
  const stale = { status: 400, body: { msg: /^This login is too old, or was used already/ } };

  const app = await begin();
  const copied = app.copy();
  const token = await carry();
  t.match(await log(new Browser(), token), stale, 'only where it was begun in the app');
  const other = new Browser();
  t.equal((await other.get(`${server.url}${BEGIN}`)).status, 302);
  t.match(await log(other, token), stale, 'a browser is no app: a page may have made it begin one');
  const logged = await log(app, token);
  t.match(logged, { status: 200, body: { email: 'hamlet@example.org' } });
  t.match(await me(server, logged.body), { full_name: 'Hamlet Prince' });
  t.match(await log(app, token), stale, 'the app has no cookie any more');
  t.match(await log(copied, token), stale, 'and a copy of it works no second time');
  t.match(await log(await begin(), token), stale, 'nor does the token');
  t.match(await log(await begin(), `${token.slice(0, -4)}AAAA`), stale, 'another token');
  const late = await carry();
  await owner.call('DELETE', `/users/${String(logged.body.user_id)}`);
  t.match(await log(await begin(), late), { status: 401, body: { code: 'USER_DEACTIVATED' } });

  for (const wrong of ['', 'ab', 'zz'.repeat(32)]) {
    const refused = await finish(app, `${server.url}${BEGIN}?desktop_flow_otp=${wrong}`);
    t.match(refused, { status: 400, body: { msg: 'Invalid OTP' } });
  }
  const pad = `?mobile_flow_otp=${'a1'.repeat(32)}`;
  t.equal((await new Browser().get(`${server.url}${BEGIN}${pad}`, agent)).status, 302);
});

void t.test('the page in the desktop app, with its script', { skip: noBrowser }, async (t) => {
  const { server, provider } = await startSingleSignOn(t);
  provider.visitor = { sub: 'h', claims: verified('hamlet@example.org') };
  const chromium = await openBrowser(t);
  const agent = 'Mozilla/5.0 AppleWebKit/537.36 Chrome/130.0 ZulipElectron/5.11.1 Safari/537.36';
  for (const hasBridge of [false, true]) {
    const tab = await openTab(chromium, `${server.url}/login/`);
    const { page, faults } = tab;
    await page.setUserAgent({ userAgent: agent });
    // What the app adds to a page: it opens addresses in the browser, and reads the clipboard.
    await page.evaluateOnNewDocument(`
      window.open = (address) => { window.opened = new URL(address, location.href).href; };
      if (${hasBridge}) window.electron_bridge = {
        decrypt_clipboard: () => ({
          key: new Uint8Array(32).fill(7),
          pasted: new Promise((resolve) => { window.paste = resolve; }),
        }),
      };
    `);
    await page.goto(`${server.url}${BEGIN}`);
    if (!hasBridge) await isAccessible(t, tab, 'the page in the app');
    await until(tab, 'window.opened');
    const opened = new URL((await page.evaluate('window.opened')) as string);
    t.equal(opened.pathname, BEGIN);
    const key = opened.searchParams.get('desktop_flow_otp')!;
    const shown = await shownToken(server, key);
    if (hasBridge) {
      t.equal(key, '07'.repeat(32));
      const bytes = Buffer.from(shown, 'hex');
      const decipher = createDecipheriv('aes-256-gcm', Buffer.alloc(32, 7), bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(-16));
      const token = decipher.update(bytes.subarray(12, -16), undefined, 'latin1');
      await page.evaluate(`window.paste(${JSON.stringify(token)})`);
    } else {
      await page.type('#pasted', 'ab');
      await until(tab, `!document.getElementById('wrong').hidden`);
      await page.evaluate(`document.getElementById('pasted').value = ''`);
      const client = await page.createCDPSession();
      await client.send('Input.insertText', { text: shown });
    }
    await page.waitForSelector('.sidebar');
    t.equal(new URL(page.url()).origin, server.url, 'in the chat');
    t.strictSame(faults, []);
  }
});
