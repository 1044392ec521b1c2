/**
 * What the README promises a newcomer: one command, the printed address and password, a link, and a second person
 * talks.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { isAt, logIn, openTab, textsOf, until } from '../../harness/browser.js';
import { storeFolder } from '../../harness/server.js';

/** What `npm start` prints when it serves a new organization. */
const PRINTED = /listening on (\S+)[^]*e-mail: +(\S+)[^]*password: +(\S+)/;
const PASSWORD = 'willow-anchor-ophelia-47';

/** Runs `npm start` as a newcomer does, but for port and place. @returns address, e-mail address and password */
async function npmStart(t: Test, folder: string): Promise<[string, string, string]> {
  const args = ['start', '--', '--port', '0', '--store', `embedded:${folder}`];
  const env = Object.entries(process.env).filter(([name]) => !/^(PARLEY_|_?TAP|NODE_)/.test(name));
  const options = { env: Object.fromEntries(env), detached: true } as const;
  const child = spawn('npm', args, { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => process.kill(-child.pid!, 'SIGKILL'));
  let text = '';
  for await (const chunk of child.stdout) {
    text += String(chunk);
    const found = PRINTED.exec(text);
    if (found) return [found[1]!, found[2]!, found[3]!];
  }
  throw new Error(`npm start ended: ${text}`);
}

export async function firstTeam(t: Test, browser: Browser): Promise<void> {
  const folder = join(storeFolder(t), 'store');
  const [url, email, password] = await npmStart(t, folder);
  const here = await openTab(browser, url);
  await logIn(here, email, password);
  await here.page.waitForSelector('.begin');
  await here.page.evaluate(
    `[...document.querySelectorAll('.begin button')].find((one) => /Invite/.test(one.textContent)).click()`,
  );
  await here.page.waitForSelector('#invite-link');
  const link = (await here.page.evaluate(`document.querySelector('#invite-link').value`)) as string;
  t.match(await textsOf(here, '.begin p'), [/joins as a member.*It works until \w+, .+\./]);

  const there = await openTab(browser, link);
  await there.page.type('#email', 'ophelia@example.org');
  await Promise.all([there.page.waitForNavigation(), there.page.click('form button')]);
  // No mail server, so the link alone admits.
  await there.page.type('#full_name', 'Ophelia');
  await there.page.type('#password', PASSWORD);
  await there.page.click('form button');
  // Who has joined is in the chat, and nothing is asked again.
  await there.page.waitForSelector('.sidebar');
  t.equal(await there.page.evaluate('location.pathname'), '/');
  await until(
    there,
    `fetch('/json/users/me').then((reply) => reply.json()).then(({ timezone }) =>
      timezone === Intl.DateTimeFormat().resolvedOptions().timeZone)`,
  );

  const words = ['Good my lord', 'How does your honour for this many a day?'];
  for (const tab of [here, there]) {
    const channel = `[...document.querySelectorAll('.rows a')].find((one) => /general/.test(one.textContent))`;
    await until(tab, channel);
    await tab.page.evaluate(`${channel}.click()`);
    await isAt(tab, '#general');
  }
  for (const [index, tab] of [here, there].entries()) {
    await tab.page.focus('#compose');
    await tab.page.keyboard.type(words[index]!);
    await tab.page.keyboard.press('Enter');
    for (const each of [here, there]) {
      await until(each, `document.querySelectorAll('.message .content').length > ${index}`);
    }
  }
  for (const tab of [here, there]) {
    await until(tab, `!document.querySelector('.outgoing')`);
    t.strictSame((await textsOf(tab, '.message .content')).slice(-2), words);
    t.strictSame(tab.faults, []);
  }
}
