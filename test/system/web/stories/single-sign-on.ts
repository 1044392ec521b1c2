/** From the button of the login page to the chat, in Chromium. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { startOpenIdServer } from '../../../src/services/fixtures/openid-server.js';
import { isAt, openTab, until } from '../../harness/browser.js';
import { openIdFile } from '../../harness/single-sign-on.js';
import { OWNER_EMAIL, RunningServer, storeFolder } from '../../harness/server.js';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

export async function logsInByProvider(t: Test, browser: Browser): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const provider = await startOpenIdServer(t, [`${url}/complete/corp/`]);
  const folder = storeFolder(t);
  const args = ['--port', String(port), '--url', url];
  args.push('--oidc', openIdFile(folder, provider.issuer));
  await RunningServer.serve(t, join(folder, 'data'), { args });
  provider.visitor = { sub: 'boss', claims: { email: OWNER_EMAIL, email_verified: true } };

  const tab = await openTab(browser, `${url}/#/starred`);
  await tab.page.click('.services a');
  await tab.page.waitForSelector('.sidebar');
  await until(tab, `location.href === '${url}/#/starred'`);
  await isAt(tab, 'Starred messages');
  const cookies = (await tab.page.cookies()).map(({ name }) => name);
  t.notOk(cookies.includes('parley-login'), 'no cookie of the server is left');
  const kept = '[...Object.values(sessionStorage), ...Object.values(localStorage)].join()';
  t.notMatch(await tab.page.evaluate(kept), /\b\w{32}\b/, 'the page keeps no key');
  t.equal(await tab.page.evaluate('document.cookie'), '', 'and no script reads the cookie');
  await tab.page.reload();
  await tab.page.waitForSelector('.sidebar');
  t.strictSame(
    tab.faults.filter((fault) => !fault.includes(provider.issuer)),
    [],
  );
}
