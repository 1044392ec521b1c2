/** The console at `/console`, in Chromium. */
import { gzipSync } from 'node:zlib';
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { createMachine } from 'xstate';
import { createEventQueueMachine } from '../../../../actors/event-queue.js';
import { stateChart } from '../../../../actors/state-chart.js';
import { go, isAccessible, openTab, textsOf, until } from '../../harness/browser.js';
import { startOrganization } from '../../harness/organization.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../harness/server.js';
import { apiPage } from './api-page.js';

/** What the console may weigh, compressed. Bytes. */
const MOST_BYTES = 150 * 1000;

export async function operatorsLook(t: Test, browser: Browser): Promise<void> {
  const { server, owner, hamlet } = await startOrganization(t);
  const first = await owner.ok('GET', '/realm/console');
  const tab = await openTab(browser, `${server.url}/console`);
  const { page } = tab;
  const accessible = (t: Test, view: string): Promise<void> => isAccessible(t, tab, view);
  await page.type('#username', OWNER_EMAIL);
  await page.type('#password', OWNER_PASSWORD);
  await page.click('#login button');

  await t.test('figures of each node and charts come', async (t) => {
    await until(tab, `document.querySelectorAll('.chart path[d^=M]').length > 3`);
    const cells = await textsOf(tab, 'tbody td');
    t.equal(cells[1], 'leader');
    const titles = await textsOf(tab, '.chart');
    t.ok(titles.every((text) => /events|entries|ms|requests|MB|queues/.test(text)));
    await accessible(t, 'overview');
  });

  await t.test('a queue is shown in the state of its machine, and is dropped', async (t) => {
    const { queue_id } = await hamlet.register({ event_types: ['message'] });
    await hamlet.say('held');
    await go(tab, '#/queues');
    await page.waitForSelector('#queue-filter');
    await page.type('#queue-filter', `${hamlet.userId} none`);
    await until(tab, `document.querySelector('tbody button')?.textContent === '${queue_id}'`);
    await page.click('tbody button');
    await page.waitForSelector('[data-state=live].current');
    t.strictSame(await textsOf(tab, '.machine .state text'), [
      'live',
      'expired',
      'deleted',
      'revoked',
      'overflowed',
    ]);
    const said = [
      /^Its actor is live, and acts by itself at/,
      /none since/,
      /message/,
      /^Wants: message/,
    ];
    t.match(await textsOf(tab, '.chosen > p'), said);
    const [snapshot] = await textsOf(tab, '.snapshot');
    t.match(JSON.parse(snapshot!), {
      ...{ machine: 'event-queue', value: 'live' },
      context: { user_id: hamlet.userId, idle_timeout_ms: 600_000 },
    });
    await accessible(t, 'queues');
    await page.evaluate(
      `[...document.querySelectorAll('.chosen button')].find((one) => /Drop/.test(one.textContent)).click()`,
    );
    await page.waitForSelector('dialog[open]');
    await accessible(t, 'confirmation');
    await page.evaluate(`[...document.querySelectorAll('dialog button')].at(-1).click()`);
    await until(tab, `document.querySelectorAll('tbody tr').length === 0`);
    const { body } = await hamlet.call('GET', '/events', { queue_id, last_event_id: -1 });
    t.equal(body.code, 'BAD_EVENT_QUEUE_ID');
  });

  await t.test('each machine is drawn, and the journal goes on', async (t) => {
    await go(tab, '#/actors');
    await until(tab, `document.querySelectorAll('.machine').length === 5`);
    await until(tab, `document.querySelectorAll('.timeline li').length === 6`);
    await accessible(t, 'actors');
    await go(tab, '#/journal');
    await until(tab, `document.querySelector('#journal-type')`);
    await owner.register({ event_types: ['message'] });
    await owner.say('a word');
    await page.type('#journal-type', 'message');
    await until(tab, `/^\\d+message/.test(document.querySelector('tbody tr')?.textContent)`);
    // At once: rows that come meanwhile take the place of those before them.
    await page.evaluate(`document.querySelector('tbody button').click()`);
    await until(tab, `/shared by 1 queue/.test(document.querySelector('.chosen')?.textContent)`);
    await accessible(t, 'journal');
  });

  await t.test('what went wrong is listed', async (t) => {
    await go(tab, '#/trouble');
    await until(
      tab,
      `/drop-queue|get-audit-log|get-events/.test(document.querySelector('.trouble')?.textContent)`,
    );
    t.match(await textsOf(tab, '.trouble h3'), [/^Refused/, /^Slow/, /^Failed/]);
    await accessible(t, 'trouble');
  });

  await t.test('options and backups of the server', async (t) => {
    await go(tab, '#/operation');
    await until(
      tab,
      `/--backup-to/.test(document.querySelector('main [role=alert]')?.textContent)`,
    );
    t.strictSame((await textsOf(tab, 'tbody tr')).slice(0, 3), [
      'config–default',
      'host127.0.0.1default',
      'port0--port',
    ]);
    await accessible(t, 'operation');
  });

  await t.test('the picture of a machine follows its definition', async (t) => {
    const kind = createEventQueueMachine({} as never);
    const config = kind.logic.config as unknown as { states: { live: { on: object } } };
    const live = { ...config.states.live, on: { ...config.states.live.on, pause: 'paused' } };
    const states = { ...config.states, live, paused: { on: { resume: 'live' } } };
    const logic = createMachine({ ...config, states } as object);
    const chart = stateChart({ name: kind.name, logic });
    // What the server would send, were its machine this one.
    const text = JSON.stringify({ ...first, charts: [chart] });
    await page.setRequestInterception(true);
    page.on('request', (request) => {
      if (!/realm.console/.test(request.url())) void request.continue();
      else void request.respond({ contentType: 'application/json', body: text });
    });
    await go(tab, '#/actors');
    await page.reload();
    await until(tab, `document.querySelectorAll('.machine').length === 1`);
    t.ok((await textsOf(tab, '.machine .state text')).includes('paused'));
    t.ok((await textsOf(tab, '.machine .event')).includes('pause'));
  });

  await t.test('the page weighs little', async (t) => {
    const html = await (await fetch(`${server.url}/console`)).text();
    let bytes = 0;
    for (const [, file] of html.matchAll(/(?:href|src)="(\/web\/[^"]+)"/g)) {
      bytes += gzipSync(await (await fetch(`${server.url}${file}`)).text()).length;
    }
    t.ok(bytes > 10_000 && bytes <= MOST_BYTES, `${bytes} bytes`);
  });

  await t.test('the page of the API can be read, light and dark', (t) =>
    apiPage(t, browser, server.url),
  );

  await t.test('who logs in reads it in their language, from right to left', async (t) => {
    await owner.ok('PATCH', '/settings', { default_language: 'ar' });
    const arabic = await openTab(browser, `${server.url}/console#/operation`);
    await arabic.page.type('#username', OWNER_EMAIL);
    await arabic.page.type('#password', OWNER_PASSWORD);
    await arabic.page.click('#login button');
    await until(arabic, `document.querySelector('main h2')?.textContent === 'التشغيل'`);
    t.strictSame((await textsOf(arabic, 'tbody tr')).slice(2, 3), ['port0--port']);
    const [text, cell] = (await arabic.page.evaluate(`['tbody tr:nth-child(3) td:last-child bdi',
      'tbody tr:nth-child(3) td:last-child'].map((one) => document.querySelector(one).getBoundingClientRect().right)`)) as number[];
    t.ok(cell! - text! < 20, 'a cell begins at the right');
    await isAccessible(t, arabic, 'arabic');
    t.strictSame(arabic.faults, []);
    await owner.ok('PATCH', '/settings', { default_language: 'en' });
  });

  await t.test('others are refused', async (t) => {
    const other = await openTab(browser, `${server.url}/console`);
    await other.page.type('#username', hamlet.email);
    await other.page.type('#password', 'willow-anchor-hamlet-47');
    await other.page.click('#login button');
    await other.page.waitForSelector('main [role=alert]');
    t.match(await textsOf(other, '[role=alert]'), ['Must be an organization administrator']);
    t.strictSame([...tab.faults, ...other.faults], []);
  });
}
