/** The login page of somebody with two-factor authentication, in Chromium. */
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { shownCode } from '../../../fixtures/authenticator.js';
import { accessibilityFaults, logIn, openTab, until } from '../../harness/browser.js';
import { ApiClient } from '../../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../../harness/server.js';

export async function asksForCode(t: Test, browser: Browser): Promise<void> {
  const server = await RunningServer.start(t, { args: ['--url', 'https://chat.example.org'] });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { body } = await owner.call('POST', '/users/me/two_factor', { password: OWNER_PASSWORD });
  const secret = String(body.secret);
  const code = shownCode(secret, Date.now());
  t.equal((await owner.call('PATCH', '/users/me/two_factor', { code })).status, 200);

  const { stream_id: channel } = await owner.ok('GET', '/get_stream_id', { stream: 'general' });
  const next = encodeURIComponent(`/#narrow/channel/${String(channel)}-general/topic/castle`);
  const tab = await openTab(browser, `${server.url}/login/?next=${next}`);
  await tab.page.type('#username', OWNER_EMAIL);
  await tab.page.type('#password', OWNER_PASSWORD);
  t.equal(await tab.page.$('#code'), null);
  await tab.page.click('#login button');
  await tab.page.waitForSelector('#code');
  t.strictSame(await accessibilityFaults(tab), []);
  await tab.page.type('#code', code);
  await tab.page.click('#login button');
  await until(tab, `document.querySelector('[role=alert]')?.textContent.includes('was used')`);
  await tab.page.evaluate(`document.querySelector('#code').value = ''`);
  await tab.page.type('#code', shownCode(secret, Date.now(), 1));
  await tab.page.click('#login button');
  await tab.page.waitForSelector('.sidebar');
  await until(tab, `location.href === '${server.url}/#/channel/${String(channel)}/castle'`);
  t.strictSame(tab.faults, []);

  const hamlet = await owner.createUser('hamlet');
  const elsewhere = encodeURIComponent('//evil.example/#/starred');
  const other = await openTab(browser, `${server.url}/login/?next=${elsewhere}`);
  await logIn(other, hamlet.email, 'willow-anchor-hamlet-47');
  t.equal(other.page.url(), `${server.url}/`, 'nothing of another site is followed');
  t.strictSame(other.faults, []);
}
