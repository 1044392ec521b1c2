import { useEffect, useRef, useState } from 'preact/hooks';
import { ParleyError, type Client, type StateChart as ChartRow } from '../../client/index.js';
import { logOut } from '../shared/session.js';
import { Chart, written } from './chart.js';
import { Journal, MOST_EVENTS } from './journal.js';
import { Queues } from './queues.js';
import { INTERVAL_MS, Series, type Look } from './series.js';
import { StateChart } from './state-chart.js';

const TABS = ['overview', 'queues', 'actors', 'journal'] as const;
type TabName = (typeof TABS)[number];

function tabAt(hash: string): TabName {
  return TABS.find((name) => hash === `#/${name}`) ?? 'overview';
}

interface Shown {
  readonly look?: Look;
  readonly error?: Error;
  readonly charts: readonly ChartRow[];
  readonly events: Look['journal_events'];
}

/** Asks the server every two seconds while the page is looked at; nothing when it is hidden. */
export function App({ client }: { client: Client }) {
  const [series] = useState(() => new Series());
  /** Journal position of the last look. */
  const newest = useRef<number>();
  const [tab, setTab] = useState(tabAt(location.hash));
  const [shown, setShown] = useState<Shown>({ charts: [], events: [] });
  useEffect(() => {
    const change = (): void => setTab(tabAt(location.hash));
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = `Console: ${tab}`;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      if (isOver) return;
      try {
        if (document.visibilityState === 'visible') {
          const look = await client.call('GET /realm/console', {
            events_after: newest.current,
            with_queues: tab === 'queues',
            with_charts: newest.current === undefined,
          });
          newest.current = look.journal_head;
          series.add(performance.now(), look);
          setShown((before) => ({
            look,
            charts: look.charts ?? before.charts,
            events: [...before.events, ...look.journal_events].slice(-MOST_EVENTS),
          }));
        }
      } catch (error) {
        setShown((before) => ({ ...before, error: error as Error }));
      }
      if (!isOver) timer = setTimeout(() => void ask(), INTERVAL_MS);
    };
    void ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, tab]);
  return (
    <div class="console">
      <header class="bar">
        <h1>Console</h1>
        <nav aria-label="Views">
          {TABS.map((name) => (
            <a key={name} href={`#/${name}`} aria-current={name === tab ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <a href="/">Chat</a>
        <button class="plain" onClick={logOut}>
          Log out
        </button>
      </header>
      <main>
        {shown.error && <Fault error={shown.error} />}
        {shown.look && <View tab={tab} series={series} look={shown.look} shown={shown} />}
      </main>
    </div>
  );
}

function Fault({ error }: { error: Error }) {
  const refusal = error instanceof ParleyError && error.status < 500 ? error.message : null;
  return (
    <p role="alert">
      {refusal ?? 'The server does not answer; what is shown is older. Trying again …'}
    </p>
  );
}

interface ViewProps {
  readonly tab: TabName;
  readonly series: Series;
  readonly look: Look;
  readonly shown: Shown;
}

function View({ tab, series, look, shown }: ViewProps) {
  switch (tab) {
    case 'overview':
      return <Overview series={series} look={look} />;
    case 'queues':
      return (
        <Queues
          rows={look.queues ?? []}
          chart={shown.charts.find(({ machine }) => machine === 'event-queue')}
        />
      );
    case 'actors':
      return (
        <section class="machines" aria-label="Actors">
          {shown.charts.map((chart) => (
            <StateChart key={chart.machine} chart={chart} counts={look.actors[chart.machine]} />
          ))}
        </section>
      );
    case 'journal':
      return <Journal events={shown.events} />;
  }
}

function Overview({ series, look }: { series: Series; look: Look }) {
  const { points } = series;
  const facts: [string, string][] = [
    ['Role', look.node_role],
    ['Up', durationOf(look.uptime_seconds)],
    ['Journal head', look.journal_head.toLocaleString()],
    ['Uncommitted', String(look.pending_entries)],
    ['Sockets and streams', String(look.queue_counts['streaming'] ?? 0)],
    ['Polls', String(look.queue_counts['polling'] ?? 0)],
    [
      'Without a client',
      String((look.queue_counts['idle'] ?? 0) + (look.queue_counts['unattached'] ?? 0)),
    ],
    ['Unacknowledged', (look.queue_counts['events'] ?? 0).toLocaleString()],
    ['Heap', `${written(look.heap_bytes / 1e6)} MB`],
  ];
  return (
    <>
      <h2 class="hidden">Overview</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div class="charts">
        <Chart
          title="Deliveries"
          unit="events/s"
          points={points}
          lines={[{ name: 'delivered', label: '' }]}
        />
        <Chart
          title="Commits"
          unit="entries/s"
          points={points}
          lines={[{ name: 'entries', label: '' }]}
        />
        <Chart
          title="Sending a message takes"
          unit="ms"
          points={points}
          lines={[
            { name: 'sendP99', label: 'p99' },
            { name: 'sendP50', label: 'p50' },
          ]}
        />
        <Chart
          title="Event loop late by"
          unit="ms"
          points={points}
          lines={[{ name: 'delay', label: 'p99' }]}
        />
        <Chart
          title="Memory"
          unit="MB"
          points={points}
          lines={[{ name: 'memory', label: 'resident' }]}
        />
        <Chart
          title="Queues"
          unit="queues"
          points={points}
          lines={[{ name: 'queues', label: '' }]}
        />
      </div>
    </>
  );
}

function durationOf(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}
