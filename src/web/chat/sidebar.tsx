import { useState } from 'preact/hooks';
import type { Transport, User } from '../../client/index.js';
import { pure } from '../shared/components.js';
import { logOut } from '../shared/session.js';
import type { Model } from './model.js';
import { addressOf, isSameTopic, viewAt, type View } from './view.js';

/** People without a conversation yet, and topics, that are listed at once; the filter finds the others. */
const MOST_PEOPLE = 20;
const MOST_TOPICS = 12;

/** Compares names; one that is kept takes a tenth of the time of `localeCompare`. */
const ALPHABET = new Intl.Collator();

/** A session opens no WebSocket. */
const TRANSPORT_NAMES: Readonly<Partial<Record<Transport, string>>> = {
  stream: 'server-sent events',
  poll: 'long poll',
};

export function Sidebar({ model, onHelp }: { model: Model; onHelp: () => void }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted);
  const channels = [...model.channels.values()]
    .filter(({ name, is_archived }) => !is_archived && matches(name))
    .sort((a, b) => ALPHABET.compare(a.name, b.name));
  return (
    <nav class="sidebar" aria-label="Conversations">
      <div class="bar">
        <strong class="realm">{model.realmName}</strong>
        <button class="plain" onClick={onHelp} aria-label="Keys">
          ?
        </button>
      </div>
      <input
        id="filter"
        type="search"
        placeholder="Find (Ctrl+K)"
        aria-label="Find a channel or a person"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setFilter('');
          if (event.key !== 'Enter') return;
          const first = document.querySelector<HTMLAnchorElement>('.rows.found a');
          if (!first) return;
          setFilter('');
          location.hash = first.hash;
        }}
      />
      <div class="scroll">
        {wanted === '' && (
          <ul class="rows">
            <Row model={model} view={{ kind: 'home' }} name="Inbox" count={model.unread.total} />
            <Row model={model} view={{ kind: 'starred' }} name="Starred messages" count={0} />
          </ul>
        )}
        <h2>Channels</h2>
        <ul class={`rows ${wanted === '' ? '' : 'found'}`}>
          {channels.map(({ stream_id: channelId, name }) => (
            <Row
              key={channelId}
              model={model}
              view={{ kind: 'channel', channelId }}
              name={`# ${name}`}
            >
              <Topics model={model} channelId={channelId} />
            </Row>
          ))}
        </ul>
        <h2>Direct messages</h2>
        <ul class={`rows ${wanted === '' ? '' : 'found'}`}>
          {directs(model, matches, wanted !== '').map((view) => (
            <Row
              key={addressOf(view)}
              model={model}
              view={view}
              name={model.titleOf(view)}
              presence={
                view.userIds.length === 1 ? model.presences.of(view.userIds[0]!) : undefined
              }
            />
          ))}
        </ul>
      </div>
      <Footer model={model} />
    </nav>
  );
}

type Direct = Extract<View, { kind: 'direct' }>;

/** Conversations there are, the newest first, then other people, those who are there first. */
function directs(model: Model, matches: (name: string) => boolean, isSearch: boolean): Direct[] {
  const known = [...model.directs]
    .sort(([, a], [, b]) => b - a)
    .map(([address]) => viewAt(address) as Direct)
    .filter((view) => matches(model.titleOf(view)));
  const talked = new Set(known.map(({ userIds }) => userIds.join()));
  const others: Direct[] = [];
  for (const [wantsPresent, most] of [
    [true, MOST_PEOPLE],
    [false, isSearch || known.length < MOST_PEOPLE ? MOST_PEOPLE : 0],
  ] as const) {
    const among = wantsPresent ? presentOf(model) : model.users.values();
    for (const { user_id, is_active, is_bot, full_name } of among) {
      if (others.length >= most) break;
      if (!is_active || is_bot || talked.has(String(user_id)) || !matches(full_name)) continue;
      if ((model.presences.of(user_id) !== 'offline') !== wantsPresent) continue;
      others.push({ kind: 'direct', userIds: [user_id] });
    }
  }
  return [...known, ...others];
}

/** People who may be there: few, of many thousands. */
function* presentOf({ presences, users }: Model): Generator<User> {
  for (const id of presences.known()) {
    const user = users.get(id);
    if (user) yield user;
  }
}

interface RowProps {
  readonly model: Model;
  readonly view: View;
  readonly name: string;
  readonly count?: number;
  readonly presence?: 'active' | 'idle' | 'offline';
  readonly children?: preact.ComponentChildren;
}

function Row({
  model,
  view,
  name,
  count = model.unread.count(view),
  presence,
  children,
}: RowProps) {
  const address = addressOf(view);
  const isCurrent = address === addressOf(model.view);
  return (
    <li>
      <Link {...{ address, isCurrent, name, count, presence }} />
      {children}
    </li>
  );
}

interface LinkProps extends Pick<RowProps, 'name' | 'count' | 'presence'> {
  readonly address: string;
  readonly isCurrent: boolean;
  readonly count: number;
}

const Link = pure<LinkProps>(({ address, isCurrent, name, count, presence }) => (
  <a href={address} aria-current={isCurrent ? 'page' : undefined}>
    {presence && (
      <span class={`presence ${presence}`} role="img" aria-label={presence} title={presence} />
    )}
    <span class="name">{name}</span>
    {count > 0 && (
      <span class="count">
        {count}
        <span class="hidden"> unread</span>
      </span>
    )}
  </a>
));

/** The topics of the channel that is open. */
function Topics({ model, channelId }: { model: Model; channelId: number }) {
  const [isWhole, showAll] = useState(false);
  const { view } = model;
  if (view.kind !== 'channel' || view.channelId !== channelId) return null;
  const topics = model.topics.get(channelId) ?? [];
  const shown = isWhole
    ? topics
    : topics.filter(
        ({ name }, index) =>
          index < MOST_TOPICS || (view.topic !== undefined && isSameTopic(name, view.topic)),
      );
  return (
    <ul class="topics">
      {shown.map(({ name }) => (
        <Row
          key={name}
          model={model}
          view={{ kind: 'channel', channelId, topic: name }}
          name={model.topicName(name)}
        />
      ))}
      {shown.length < topics.length && (
        <li>
          <button class="plain" onClick={() => showAll(true)}>
            All {topics.length} topics
          </button>
        </li>
      )}
    </ul>
  );
}

function Footer({ model }: { model: Model }) {
  const { connected, transport } = model.state;
  const change = (value: string): void =>
    model.useTransport(value === '' ? undefined : (value as Transport));
  return (
    <footer>
      <p role="status" class={connected ? 'connected' : 'away'}>
        {connected ? `Live by ${TRANSPORT_NAMES[transport]}` : 'No connection, trying again …'}
      </p>
      <p>
        <label for="transport">Events by</label>
        <select id="transport" onChange={(event) => change(event.currentTarget.value)}>
          <option value="">what works</option>
          {Object.entries(TRANSPORT_NAMES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </p>
      <p class="self">
        <span class="name">{model.me.full_name}</span>
        {model.isAdmin && <a href="/console">Console</a>}
        <button class="plain" onClick={logOut}>
          Log out
        </button>
      </p>
    </footer>
  );
}
