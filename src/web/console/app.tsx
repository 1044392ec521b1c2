import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type Client } from '../../client/index.js';
import { logOut } from '../shared/session.js';
import { Actors } from './actors.js';
import { Journal } from './journal.js';
import { useLive, type Shown, type Wants } from './live.js';
import { Overview } from './overview.js';
import { Queues } from './queues.js';
import type { Look } from './series.js';
import { Trouble } from './trouble.js';

const TABS = ['overview', 'queues', 'actors', 'journal', 'trouble'] as const;
type TabName = (typeof TABS)[number];

function tabAt(hash: string): TabName {
  return TABS.find((name) => hash === `#/${name}`) ?? 'overview';
}

/** What each view asks for when it is opened. */
const WANTS: Readonly<Record<TabName, Wants>> = {
  overview: {},
  queues: { with_queues: true, queue_order: 'events' },
  actors: { with_actors: true },
  journal: {},
  trouble: { with_troubles: true },
};

/** The page of who is logged in. */
export function App({ client }: { client: Client }) {
  const [tab, setTab] = useState(tabAt(location.hash));
  const [wants, want] = useState<Wants>(WANTS[tab]);
  useEffect(() => {
    const change = (): void => {
      const next = tabAt(location.hash);
      setTab(next);
      want(WANTS[next]);
    };
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = `Console: ${tab}`;
  }, [tab]);
  const shown = useLive(client, wants);
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
        {shown.look && (
          <View
            {...{ tab, client, shown, wants }}
            look={shown.look}
            want={(more) => want((before) => ({ ...before, ...more }))}
          />
        )}
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
  readonly client: Client;
  readonly look: Look;
  readonly shown: Shown;
  readonly wants: Wants;
  readonly want: (more: Wants) => void;
}

function View({ tab, client, look, shown, wants, want }: ViewProps) {
  switch (tab) {
    case 'overview':
      return <Overview look={look} series={shown.series} />;
    case 'queues': {
      const chart = shown.charts.find(({ machine }) => machine === 'event-queue');
      return <Queues {...{ client, look, chart, wants, want }} />;
    }
    case 'actors':
      return <Actors look={look} charts={shown.charts} />;
    case 'journal':
      return <Journal events={shown.events} entry={look.entry} {...{ wants, want }} />;
    case 'trouble':
      return <Trouble troubles={look.troubles} />;
  }
}
