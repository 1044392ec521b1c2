import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type Client } from '../../client/index.js';
import { logOut } from '../shared/session.js';
import { Actors } from './actors.js';
import { Audit } from './audit.js';
import { Channels } from './channels.js';
import { Groups } from './groups.js';
import { Invitations } from './invitations.js';
import { Journal } from './journal.js';
import { useLive, type Shown, type Wants } from './live.js';
import { Files } from './operating/files.js';
import { Log } from './operating/log.js';
import { Logins } from './operating/logins.js';
import { Mails } from './operating/mails.js';
import { Operation } from './operation.js';
import { Overview } from './overview.js';
import { People } from './people.js';
import { Queues } from './queues.js';
import type { Look } from './series.js';
import { Settings } from './settings/settings.js';
import { say } from './text.js';
import { Trouble } from './trouble.js';

/** Views of what the server does, which are asked for all the time. */
const SERVER_TABS = [
  ...(['overview', 'queues', 'actors', 'journal', 'trouble', 'log', 'operation'] as const),
] as const;
/** Views of what administrators change. */
const ADMIN_TABS = [
  ...(['people', 'invitations', 'groups', 'channels', 'settings'] as const),
  ...(['logins', 'mails', 'files', 'audit'] as const),
] as const;
const TABS = [...SERVER_TABS, ...ADMIN_TABS];
type ServerTab = (typeof SERVER_TABS)[number];
type AdminTab = (typeof ADMIN_TABS)[number];
type TabName = ServerTab | AdminTab;

function isAdminTab(tab: TabName): tab is AdminTab {
  return ADMIN_TABS.some((one) => one === tab);
}

function tabAt(hash: string): TabName {
  return TABS.find((name) => hash === `#/${name}`) ?? 'overview';
}

/** What each view asks for when it is opened. */
const WANTS: Readonly<Record<ServerTab, Wants>> = {
  overview: {},
  queues: { with_queues: true, queue_order: 'events' },
  actors: { with_actors: true },
  journal: {},
  trouble: { with_troubles: true },
  log: { with_log: true, log_level: 'info', log_filter: '' },
  operation: { with_operation: true },
};

/** The page of who is logged in. */
export function App({ client }: { client: Client }) {
  const [tab, setTab] = useState(tabAt(location.hash));
  useEffect(() => {
    const change = (): void => setTab(tabAt(location.hash));
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  useEffect(() => {
    document.title = say('app.page', { view: say(`view.${tab}`) });
  }, [tab]);
  return (
    <div class="console">
      <header class="bar">
        <h1>{say('app.title')}</h1>
        <Tabs label={say('app.server')} tabs={SERVER_TABS} current={tab} />
        <Tabs label={say('app.administration')} tabs={ADMIN_TABS} current={tab} />
        <span class="leave">
          <a href="/">{say('app.chat')}</a>
          <button class="plain" onClick={logOut}>
            {say('app.log-out')}
          </button>
        </span>
      </header>
      <main>
        {isAdminTab(tab) ? (
          <Administration tab={tab} client={client} />
        ) : (
          <Server tab={tab} client={client} />
        )}
      </main>
    </div>
  );
}

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly TabName[];
  readonly current: TabName;
}

function Tabs({ label, tabs, current }: TabsProps) {
  return (
    <nav aria-label={label}>
      {tabs.map((name) => (
        <a key={name} href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
          {say(`view.${name}`)}
        </a>
      ))}
    </nav>
  );
}

function Administration({ tab, client }: { tab: AdminTab; client: Client }) {
  switch (tab) {
    case 'people':
      return <People client={client} />;
    case 'invitations':
      return <Invitations client={client} />;
    case 'groups':
      return <Groups client={client} />;
    case 'channels':
      return <Channels client={client} />;
    case 'settings':
      return <Settings client={client} />;
    case 'logins':
      return <Logins client={client} />;
    case 'mails':
      return <Mails client={client} />;
    case 'files':
      return <Files client={client} />;
    case 'audit':
      return <Audit client={client} />;
  }
}

function Server({ tab, client }: { tab: ServerTab; client: Client }) {
  const [asked, ask] = useState({ tab, wants: WANTS[tab] });
  // A view that is opened begins anew.
  const wants = asked.tab === tab ? asked.wants : WANTS[tab];
  const shown = useLive(client, wants);
  return (
    <>
      {shown.error && <Fault error={shown.error} />}
      {shown.look && (
        <View
          {...{ tab, client, shown, wants }}
          look={shown.look}
          want={(more) => ask({ tab, wants: { ...wants, ...more } })}
        />
      )}
    </>
  );
}

function Fault({ error }: { error: Error }) {
  const refusal = error instanceof ParleyError && error.status < 500 ? error.message : null;
  return <p role="alert">{refusal ?? say('app.no-answer')}</p>;
}

interface ViewProps {
  readonly tab: ServerTab;
  readonly client: Client;
  readonly look: Look;
  readonly shown: Shown;
  readonly wants: Wants;
  readonly want: (more: Wants) => void;
}

function View({ tab, client, look, shown, wants, want }: ViewProps) {
  switch (tab) {
    case 'overview':
      return <Overview client={client} look={look} series={shown.series} />;
    case 'queues': {
      const chart = shown.charts.find(({ machine }) => machine === 'event-queue');
      return <Queues {...{ client, look, chart, wants, want }} />;
    }
    case 'actors':
      return <Actors look={look} charts={shown.charts} />;
    case 'journal':
      return <Journal events={shown.events} entry={look.entry} {...{ client, wants, want }} />;
    case 'trouble':
      return <Trouble troubles={look.troubles} />;
    case 'operation':
      return <Operation client={client} operation={look.operation} />;
    case 'log':
      return <Log log={look.log} {...{ wants, want }} />;
  }
}
