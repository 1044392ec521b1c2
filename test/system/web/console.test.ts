/** The console at `/console`, in Chromium, and what it is made of. */
import t, { type Test } from 'tap';
import {
  accessibilityFaults,
  noBrowser,
  openBrowser,
  openTab,
  textsOf,
  until,
} from '../harness/browser.js';
import { startOrganization } from '../harness/organization.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../harness/server.js';

void t.test('what administrators see of the server', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const { queue_id } = await hamlet.register({ event_types: ['message'] });
  const first = await owner.ok('GET', '/realm/console');
  t.match(first, { node_role: 'leader', pending_entries: 0, journal_events: [] });
  t.notOk('queues' in first || 'charts' in first, 'only what is asked for');
  await hamlet.say('nobody else shall read this', 'general', 'secret topic');
  const second = await owner.ok('GET', '/realm/console', {
    events_after: first.journal_head,
    with_queues: true,
    with_charts: true,
  });
  const kept = second.journal_events as { event_type: string; audience: string }[];
  t.match(
    kept.filter(({ event_type }) => event_type === 'message'),
    [{ event_type: 'message', audience: 'subscribers' }],
  );
  t.match(second.queues, [
    { queue_id, user_id: hamlet.userId, state: 'live', transport: 'none', events: 1 },
  ]);
  t.equal(Number(second.delivered_events) - Number(first.delivered_events), 1);
  t.same(
    (second.charts as { machine: string }[]).map(({ machine }) => machine),
    ['event-queue', 'presence-session', 'scheduled-message', 'topic-deletion'],
  );
  t.notMatch(JSON.stringify(second), /nobody else|secret topic/, 'nothing of what people write');
});

void t.test('the console in a browser', { skip: noBrowser }, async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const browser = await openBrowser(t);
  const tab = await openTab(browser, `${server.url}/console`);
  const { page } = tab;
  const accessible = async (t: Test, view: string): Promise<void> => {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      await page.setViewport({ width, height });
      for (const value of ['light', 'dark']) {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
        t.strictSame(await accessibilityFaults(tab), [], `${view}, ${width} pixels, ${value}`);
      }
    }
    await page.setViewport({ width: 1280, height: 800 });
  };
  await page.type('#username', OWNER_EMAIL);
  await page.type('#password', OWNER_PASSWORD);
  await page.click('#login button');

  await t.test('figures and charts come', async (t) => {
    await until(tab, `document.querySelectorAll('.chart path[d^=M]').length > 3`);
    t.match(await textsOf(tab, '.facts'), [/leader/]);
    await accessible(t, 'overview');
  });

  await t.test('a queue is shown in the state of its machine', async (t) => {
    const { queue_id } = await hamlet.register({ event_types: ['message'] });
    await page.evaluate(`location.hash = '#/queues'`);
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
    await accessible(t, 'queues');
    await page.type('#queue-filter', 'no such queue');
    await until(tab, `document.querySelectorAll('tbody tr').length === 0`);
  });

  await t.test('each machine is drawn, and the journal goes on', async (t) => {
    await page.evaluate(`location.hash = '#/actors'`);
    await until(tab, `document.querySelectorAll('.machine').length === 4`);
    await accessible(t, 'actors');
    await page.evaluate(`location.hash = '#/journal'`);
    await until(tab, `document.querySelector('#journal-filter')`);
    await owner.say('a word');
    await until(tab, `/message/.test(document.querySelector('tbody')?.textContent)`);
    await accessible(t, 'journal');
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
});
