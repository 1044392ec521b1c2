import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../../../client/index.js';
import { Dialog } from '../parts/dialog.js';
import { Icon } from '../parts/icon.js';
import type { Model } from '../model.js';
import { showCreate } from './create.js';
import { leave } from './channel-menu.js';

type Listed = Reply<'GET /streams'>['streams'][number];

/** Channels that are listed at once; the filter finds the others. */
const MOST = 100;
const ALPHABET = new Intl.Collator();

/** All channels that the reader may see, to join and to leave. */
export function showBrowse(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title="Channels">
      <Browse model={model} />
    </Dialog>
  ));
}

/** Joins a channel that there is. */
export function join({ surface, client }: Model, name: string): void {
  surface.attempt(
    client.call('POST /users/me/subscriptions', { subscriptions: [{ name }] }),
    () => `You are in #${name}.`,
  );
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
          placeholder="Find by name or description"
          aria-label="Find channels"
          autofocus
          value={wanted}
          onInput={(event) => setWanted(event.currentTarget.value)}
        />
        {model.canCreate && (
          <button onClick={() => showCreate(model, wanted.trim())}>New channel …</button>
        )}
      </p>
      {all && found.length === 0 && (
        <p class="empty">No channel is named so. Look for another name, or begin a new channel.</p>
      )}
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
                  {subscriber_count} {subscriber_count === 1 ? 'member' : 'members'}
                  {description === '' ? '' : ` · ${description}`}
                </small>
              </span>
              {channels.has(stream_id) ? (
                <button
                  class="plain"
                  aria-label={`Leave ${name}`}
                  onClick={() => leave(model, stream_id)}
                >
                  Leave
                </button>
              ) : (
                <button aria-label={`Join ${name}`} onClick={() => join(model, name)}>
                  Join
                </button>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}
