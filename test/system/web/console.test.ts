/** The console at `/console`, in Chromium, and what it is made of. */
import t, { type Test } from 'tap';
import { createMachine } from 'xstate';
import { createEventQueueMachine } from '../../../actors/event-queue.js';
import { stateChart } from '../../../actors/state-chart.js';
import {
  accessibilityFaults,
  noBrowser,
  openBrowser,
  openTab,
  textsOf,
  until,
} from '../harness/browser.js';
import type { Body } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../harness/server.js';

interface Figures {
  readonly node_role: string;
  readonly journal_head: number;
  readonly delivered_events: number;
}

void t.test('what administrators see of the server, and a queue that they end', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const { queue_id } = await hamlet.register({ event_types: ['message'] });
  const first = await owner.ok('GET', '/realm/console');
  const [before] = first.nodes as Figures[];
  t.match(before, { node_role: 'leader', lag_ms: 0, pending_entries: 0 });
  t.same(first.journal_events, []);
  const asked = ['queues', 'queue', 'entry', 'troubles', 'due', 'deletions', 'charts'];
  t.notOk(
    asked.some((name) => name in first),
    'only what is asked for',
  );
  await hamlet.say('nobody else shall read this', 'general', 'secret topic');
  await hamlet.call('GET', '/realm/audit_log');
  await hamlet.call('GET', '/realm/audit_log');
  const second = await owner.ok('GET', '/realm/console', {
    ...{
      events_after: before!.journal_head,
      with_queues: true,
      queue_filter: String(hamlet.userId),
    },
    ...{ open_queue: queue_id, with_troubles: true, with_actors: true, with_charts: true },
  });
  const events = second.journal_events as Body[];
  const [message] = events.filter(({ event_type }) => event_type === 'message');
  t.match(message, { audience: 'subscribers', user_count: 3 });
  const row = { queue_id, user_id: hamlet.userId, state: 'live', transport: 'none', events: 1 };
  t.match(second.queues, [row]);
  t.equal(second.queues_found, 1);
  t.match(second.queue, { ...row, event_types: ['message'], held: [{ event_type: 'message' }] });
  t.equal((second.nodes as Figures[])[0]!.delivered_events - before!.delivered_events, 1);
  t.match((second.troubles as Body).refusals, [
    { user_id: hamlet.userId, status: 400, endpoint: 'get-audit-log', count: 2 },
  ]);
  t.match(second.due, [{ within_seconds: 60, messages: 0 }]);
  t.same(second.deletions, []);
  t.same(
    (second.charts as { machine: string }[]).map(({ machine }) => machine),
    ['event-queue', 'presence-session', 'scheduled-message', 'topic-deletion'],
  );
  const { entry } = await owner.ok('GET', '/realm/console', { open_entry: message!.seq });
  const { seq, ...opened } = entry as { seq: number; events: Body[]; changes: Body[] };
  t.equal(seq, message!.seq);
  t.match(
    opened.events.find(({ event_type }) => event_type === 'message'),
    { variants: [{ queues: 1 }] },
  );
  t.match(opened.changes, [
    { collection: 'counter', document_id: '…', change: 'set' },
    { collection: 'message', change: 'set' },
    { collection: 'user_topic', document_id: `${hamlet.userId}…` },
  ]);
  t.notMatch(
    JSON.stringify([second, entry]),
    /nobody else|secret topic/,
    'nothing that people write',
  );

  const path = `/realm/console/queues/${queue_id}`;
  t.match((await hamlet.call('DELETE', path)).body, { code: 'UNAUTHORIZED_PRINCIPAL' });
  await owner.ok('DELETE', path);
  const poll = await hamlet.call('GET', '/events', { queue_id, last_event_id: -1 });
  t.match(poll.body, { code: 'BAD_EVENT_QUEUE_ID' });
  t.match((await owner.call('DELETE', path)).body, { code: 'BAD_EVENT_QUEUE_ID' });
  const { records } = await owner.ok('GET', '/realm/audit_log', { kind: 'queue' });
  t.match(records, [
    {
      user_id: owner.userId,
      changes: [
        {
          ...{ kind: 'queue', id: hamlet.userId, name: 'Hamlet', action: 'removed' },
          fields: [{ name: 'queue_id', old: JSON.stringify(queue_id), new: null }],
        },
      ],
    },
  ]);
});

void t.test('the console in a browser', { skip: noBrowser }, async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const first = await owner.ok('GET', '/realm/console');
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
    await page.evaluate(`location.hash = '#/queues'`);
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
    t.match(await textsOf(tab, '.chosen > p'), [/none since/, /message/, /^Wants: message/]);
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
    await page.evaluate(`location.hash = '#/actors'`);
    await until(tab, `document.querySelectorAll('.machine').length === 4`);
    await until(tab, `document.querySelectorAll('.timeline li').length === 6`);
    await accessible(t, 'actors');
    await page.evaluate(`location.hash = '#/journal'`);
    await until(tab, `document.querySelector('#journal-type')`);
    await owner.register({ event_types: ['message'] });
    await owner.say('a word');
    await page.type('#journal-type', 'message');
    await until(tab, `/^\\d+message/.test(document.querySelector('tbody tr')?.textContent)`);
    await page.click('tbody button');
    await until(tab, `/shared by 1 queue/.test(document.querySelector('.chosen')?.textContent)`);
    await accessible(t, 'journal');
  });

  await t.test('what went wrong is listed', async (t) => {
    await page.evaluate(`location.hash = '#/trouble'`);
    await until(
      tab,
      `/drop-queue|get-audit-log|get-events/.test(document.querySelector('.trouble')?.textContent)`,
    );
    t.match(await textsOf(tab, '.trouble h3'), [/^Refused/, /^Slow/, /^Failed/]);
    await accessible(t, 'trouble');
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
    await page.evaluate(`location.hash = '#/actors'`);
    await page.reload();
    await until(tab, `document.querySelectorAll('.machine').length === 1`);
    t.ok((await textsOf(tab, '.machine .state text')).includes('paused'));
    t.ok((await textsOf(tab, '.machine .event')).includes('pause'));
    await page.setRequestInterception(false);
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
