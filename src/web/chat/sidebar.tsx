import { useState } from 'preact/hooks';
import type { User } from '../../client/index.js';
import { logOut } from '../shared/session.js';
import { FOLLOWED } from './channels/topics.js';
import { open } from './later/open.js';
import type { Model } from './model.js';
import { Avatar } from './parts/avatar.js';
import { IconButton } from './parts/icon.js';
import { Menu } from './parts/menu.js';
import { Row } from './row.js';
import { say } from './say.js';
import { ALPHABET } from './times.js';
import { addressOf, isSameTopic, viewAt, type View } from './view.js';

/** People without a conversation yet, and topics, that are listed at once; the filter finds the others. */
const MOST_PEOPLE = 20;
const MOST_TOPICS = 12;

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function Sidebar({ model }: { model: Model }) {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted);
  const channels = [...model.channels.values()]
    .filter(({ name, is_archived }) => !is_archived && matches(name))
    .sort(
      (a, b) =>
        Number(b.pin_to_top) - Number(a.pin_to_top) ||
        Number(a.is_muted) - Number(b.is_muted) ||
        ALPHABET.compare(a.name, b.name),
    );
  const people = directs(model, matches, wanted !== '');
  return (
    <nav class="sidebar" aria-label={say('list.label')}>
      <div class="bar">
        <strong class="realm">{model.realmName}</strong>
        <button
          class="plain"
          onClick={() => open('showHelp', model)}
          aria-label={say('help.label')}
        >
          ?
        </button>
      </div>
      <input
        id="filter"
        type="search"
        placeholder={
          matchMedia('(hover: none)').matches
            ? say('list.find')
            : say('list.find-by-key', { key: IS_MAC ? '⌘K' : say('list.find-key') })
        }
        aria-label={say('list.find-what')}
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
            <Row
              model={model}
              view={{ kind: 'home' }}
              name={say('title.inbox')}
              icon="inbox"
              count={model.unreadTotal}
            />
            <Row
              model={model}
              view={{ kind: 'starred' }}
              name={say('title.starred')}
              icon="star"
              count={0}
            />
          </ul>
        )}
        <div class="heading">
          <h2>{say('list.channels')}</h2>
          <IconButton
            icon="browse"
            label={say('channel.browse')}
            onClick={() => open('showBrowse', model)}
          />
          {model.canCreate && (
            <IconButton
              icon="plus"
              label={say('channel.new')}
              onClick={() => open('showCreate', model)}
            />
          )}
        </div>
        <ul class={`rows ${wanted === '' ? '' : 'found'}`}>
          {channels.map(({ stream_id: channelId, name, invite_only, color, is_muted }) => (
            <Row
              key={channelId}
              model={model}
              view={{ kind: 'channel', channelId }}
              name={name}
              icon={invite_only ? 'lock' : 'hash'}
              color={color}
              isMuted={is_muted}
            >
              <Topics model={model} channelId={channelId} />
            </Row>
          ))}
        </ul>
        {channels.length === 0 && (
          <p class="hint">
            {say(wanted === '' ? 'list.join-first' : 'list.no-channel')}{' '}
            <button class="plain" onClick={() => open('showBrowse', model)}>
              {say('list.browse-all')}
            </button>
          </p>
        )}
        <div class="heading">
          <h2>{say('list.direct')}</h2>
          <IconButton
            icon="people"
            label={say('people.title')}
            onClick={() => open('showPeople', model)}
          />
          <IconButton
            icon="plus"
            label={say('people.new-conversation')}
            onClick={() => open('showNewConversation', model)}
          />
        </div>
        <ul class={`rows ${wanted === '' ? '' : 'found'}`}>
          {people.map((view) => {
            const [only, second] = view.userIds;
            const isOne = second === undefined;
            return (
              <Row
                key={addressOf(view)}
                model={model}
                view={view}
                name={model.titleOf(view)}
                icon={isOne ? undefined : 'people'}
                userId={isOne ? only : undefined}
                status={isOne ? model.statuses.emojiOf(only!) : undefined}
                presence={isOne ? model.presences.of(only!) : undefined}
              />
            );
          })}
        </ul>
        {people.length === 0 && <p class="hint">{say('list.nobody')}</p>}
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
    const among = wantsPresent ? presentOf(model) : model.users.byName;
    for (const { user_id, is_active, is_bot, full_name } of among) {
      if (others.length >= most) break;
      if (!is_active || is_bot || talked.has(String(user_id)) || !matches(full_name)) continue;
      if ((model.presences.of(user_id) !== 'offline') !== wantsPresent) continue;
      others.push({ kind: 'direct', userIds: [user_id] });
    }
  }
  return [...known, ...others];
}

/** People who may be there, by name: few, of many thousands. */
function presentOf({ presences, users }: Model): User[] {
  return [...presences.known()]
    .flatMap((id) => users.get(id) ?? [])
    .sort((a, b) => ALPHABET.compare(a.full_name, b.full_name));
}

/** The topics of the channel that is open. */
function Topics({ model, channelId }: { model: Model; channelId: number }) {
  const [isWhole, showAll] = useState(false);
  const { view } = model;
  if (view.kind !== 'channel' || view.channelId !== channelId) return null;
  const topics = model.topics.of(channelId);
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
          isMuted={model.isMuted({ kind: 'channel', channelId, topic: name })}
          isFollowed={model.topics.policy(channelId, name) === FOLLOWED}
        />
      ))}
      {shown.length < topics.length && (
        <li>
          <button class="plain" onClick={() => showAll(true)}>
            {say('list.all-topics', { count: topics.length })}
          </button>
        </li>
      )}
    </ul>
  );
}

function Footer({ model }: { model: Model }) {
  const { me, state, isAdmin } = model;
  return (
    <footer>
      <p role="status" class={state.connected ? 'hidden' : 'away'}>
        {say(state.connected ? 'list.connected' : 'common.reconnecting')}
      </p>
      <p class="self">
        <button
          class="line"
          title={say('list.own-profile')}
          onClick={() => open('showProfile', model, me.user_id)}
        >
          <Avatar userId={me.user_id} url={me.avatar_url} size={28} />
          <span class="name">{me.full_name}</span>
          {model.statuses.emojiOf(me.user_id)}
        </button>
        <IconButton
          icon="gear"
          label={say('settings.title')}
          onClick={() => open('showSettings', model)}
        />
        <Menu
          icon="more"
          label={say('common.more')}
          items={() => [
            {
              icon: 'clock',
              label: say('later.title'),
              onClick: () => open('showPlanned', model),
            },
            { icon: 'info', label: say('help.label'), onClick: () => open('showHelp', model) },
            ...(isAdmin
              ? [
                  {
                    icon: 'eye',
                    label: say('list.console'),
                    onClick: () => location.assign('/console'),
                  } as const,
                ]
              : []),
            { icon: 'leave', label: say('list.log-out'), onClick: logOut },
          ]}
        />
      </p>
    </footer>
  );
}
