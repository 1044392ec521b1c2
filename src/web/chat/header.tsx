import { conversationItems } from './channels/channel-menu.js';
import { join } from './channels/membership.js';
import { open } from './later/open.js';
import type { Model } from './model.js';
import { Icon } from './parts/icon.js';
import { Menu } from './parts/menu.js';
import { presenceText } from './presences.js';
import { say } from './say.js';
import { SearchBox, searchKey } from './search/search-box.js';
import { isConversation } from './view.js';

/** The title of the view, the way back on phones, what is done here, and the search. */
export function Header({ model }: { model: Model }) {
  const { view } = model;
  return (
    <header class="bar">
      {view.kind !== 'home' && (
        <a class="back" href="#/home" aria-label={say('header.back')}>
          <Icon name="back" />
        </a>
      )}
      <div class="title">
        <Title model={model} />
        <About model={model} />
      </div>
      {isConversation(view) && (
        <Menu icon="more" label={say('header.more')} items={() => conversationItems(model)} />
      )}
      <SearchBox key={searchKey(model)} model={model} />
    </header>
  );
}

function Title({ model }: { model: Model }) {
  const { view } = model;
  if (view.kind !== 'channel') return <h1>{model.titleOf(view)}</h1>;
  const { channelId, topic } = view;
  const channel = model.channels.get(channelId);
  return (
    <h1>
      <Icon name={channel?.invite_only ? 'lock' : 'hash'} color={channel?.color} />
      {topic === undefined ? (
        <bdi>{model.channelName(channelId)}</bdi>
      ) : (
        <>
          <a href={`#/channel/${channelId}`}>
            <bdi>{model.channelName(channelId)}</bdi>
          </a>
          {' › '}
          <bdi>{model.topicName(topic)}</bdi>
        </>
      )}
    </h1>
  );
}

/** What one line says of it, and who is in it. */
function About({ model }: { model: Model }) {
  const { view } = model;
  if (view.kind === 'channel') {
    const channel = model.channels.get(view.channelId);
    if (!channel) {
      const name = model.channelNames.get(view.channelId);
      return (
        <p class="about">
          {say('header.not-in')}{' '}
          {name !== undefined && (
            <button class="about join" onClick={() => join(model, name)}>
              {say('common.join')}
            </button>
          )}
        </p>
      );
    }
    const { description, subscriber_count: count } = channel;
    return (
      <button class="about" onClick={() => open('showDetails', model, view.channelId)}>
        {say('common.members', { count })}
        {(description !== '' || model.isAdmin) && (
          <>
            {' · '}
            <bdi>{description || say('header.describe')}</bdi>
          </>
        )}
      </button>
    );
  }
  const [only, second] = view.kind === 'direct' ? view.userIds : [];
  if (only === undefined || second !== undefined) return null;
  const status = model.statuses.of(only);
  const presence = model.presences.of(only);
  return (
    <button class="about" onClick={() => open('showProfile', model, only)}>
      <span class={`presence ${presence}`} /> {presenceText(presence)}
      {status !== '' && (
        <>
          {' · '}
          <bdi>{status}</bdi>
        </>
      )}
    </button>
  );
}
