import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../../../client/index.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import type { Model } from '../model.js';
import { say } from '../say.js';
import { ALPHABET } from '../times.js';
import { isolated } from '../view.js';
import { showCreate } from './create.js';
import { join, leave } from './membership.js';

type Listed = Reply<'GET /streams'>['streams'][number];

/** Channels that are listed at once; the filter finds the others. */
const MOST = 100;

/** All channels that the reader may see, to join and to leave. */
export function showBrowse(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('list.channels')}>
      <Browse model={model} />
    </Dialog>
  ));
}

function Browse({ model }: { model: Model }) {
  const [all, setAll] = useState<readonly Listed[]>();
  const [wanted, setWanted] = useState('');
  const { surface, client, channels } = model;
  useEffect(() => {
    const listing = client.call('GET /streams', { include_public: true, include_subscribed: true });
    surface.attempt(listing, ({ streams }) =>
      setAll([...streams].sort((a, b) => ALPHABET.compare(a.name, b.name))),
    );
  }, [channels.size]);
  const text = wanted.trim().toLowerCase();
  const found = (all ?? []).filter(
    ({ name, description, is_archived }) =>
      !is_archived && `${name} ${description}`.toLowerCase().includes(text),
  );
  return (
    <>
      <p class="field-row">
        <input
          type="search"
          placeholder={say('channel.find-by')}
          aria-label={say('channel.find')}
          autofocus
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        {model.canCreate && (
          <button onClick={() => showCreate(model, wanted.trim())}>
            {say('channel.new-asked')}
          </button>
        )}
      </p>
      {all && found.length === 0 && <p class="empty">{say('channel.none-found')}</p>}
      <ul class="list">
        {found
          .slice(0, MOST)
          .map(({ stream_id, name, description, invite_only, subscriber_count }) => (
            <li key={stream_id} class="line">
              <Icon name={invite_only ? 'lock' : 'hash'} color={channels.get(stream_id)?.color} />
              <span class="name">
                <a href={`#/channel/${stream_id}`} onClick={() => surface.close()}>
                  {name}
                </a>
                <small>
                  {say('common.members', { count: subscriber_count })}
                  {description !== '' && (
                    <>
                      {' · '}
                      <bdi>{description}</bdi>
                    </>
                  )}
                </small>
              </span>
              {channels.has(stream_id) ? (
                <button
                  class="plain"
                  aria-label={say('channel.leave-it', { channel: isolated(name) })}
                  onClick={() => leave(model, stream_id)}
                >
                  {say('common.leave')}
                </button>
              ) : (
                <button
                  aria-label={say('channel.join-it', { channel: isolated(name) })}
                  onClick={() => join(model, name)}
                >
                  {say('common.join')}
                </button>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
