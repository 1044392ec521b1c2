import { useEffect, useState } from 'preact/hooks';
import { fieldOf } from '../../shared/components.js';
import { ask, Dialog } from '../parts/dialog.js';
import { Avatar } from '../parts/avatar.js';
import { IconButton } from '../parts/icon.js';
import type { Model } from '../model.js';
import { isIn } from '../people/groups.js';
import { PeoplePicker } from '../people/picker.js';
import { showProfile } from '../people/profile.js';
import { say } from '../say.js';
import { Rights } from './rights.js';
import { ALPHABET, numberText } from '../times.js';
import { isolated } from '../view.js';

/** Members that are listed at once. */
const MOST = 200;

/** What a channel is for, and who is in it. */
export function showDetails(model: Model, channelId: number): void {
  model.surface.show(() => {
    const channel = isolated(model.channelName(channelId));
    const isPrivate = model.channels.get(channelId)?.invite_only;
    const title = isPrivate ? say('channel.private-title', { channel }) : `#${channel}`;
    return (
      <Dialog model={model} title={title}>
        <About model={model} channelId={channelId} />
        <Members model={model} channelId={channelId} />
      </Dialog>
    );
  });
}

interface Props {
  readonly model: Model;
  readonly channelId: number;
}

function About({ model, channelId }: Props) {
  const channel = model.channels.get(channelId);
  const [mayChange, allow] = useState(model.isAdmin);
  useEffect(() => {
    if (!channel || mayChange) return;
    model.quietly(isIn(model, channel.can_administer_channel_group).then(allow));
  }, []);
  if (!channel) return null;
  const { name, description } = channel;
  if (!mayChange) return description === '' ? null : <p dir="auto">{description}</p>;
  return (
    <>
      <form
        class="settings"
        aria-label={say('channel.about')}
        onSubmit={(event) => {
          event.preventDefault();
          const next = fieldOf(event, 'name');
          const params = {
            stream_id: channelId,
            description: fieldOf(event, 'description'),
            ...(next === name ? {} : { new_name: next }),
          };
          model.surface.attempt(model.client.call('PATCH /streams/{stream_id}', params), () =>
            say('common.saved'),
          );
        }}
      >
        <label for="channel-name">{say('common.name')}</label>
        <input
          id="channel-name"
          name="name"
          dir="auto"
          maxLength={60}
          defaultValue={name}
          required
        />
        <label for="channel-description">{say('channel.purpose')}</label>
        <p class="field-row">
          <input
            id="channel-description"
            name="description"
            dir="auto"
            maxLength={1024}
            defaultValue={description}
          />
          <button>{say('common.save')}</button>
        </p>
      </form>
      <Rights model={model} channelId={channelId} />
    </>
  );
}

function byName({ users }: Model, ids: readonly number[]): number[] {
  const name = (id: number): string => users.get(id)?.full_name ?? '';
  return [...ids].sort((a, b) => ALPHABET.compare(name(a), name(b)));
}

function Members({ model, channelId }: Props) {
  const [members, setMembers] = useState<readonly number[]>();
  const [isAdding, add] = useState(false);
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const { surface, client } = model;
  const load = (): void =>
    surface.attempt(
      client.call('GET /streams/{stream_id}/members', { stream_id: channelId }),
      ({ subscribers }) => setMembers(subscribers),
    );
  useEffect(load, []);
  const [mayRemove, allow] = useState(model.isAdmin);
  const { can_remove_subscribers_group: removers } = model.channels.get(channelId) ?? {};
  useEffect(() => {
    if (!mayRemove && removers !== undefined) model.quietly(isIn(model, removers).then(allow));
  }, []);
  const name = model.channelName(channelId);
  const remove = (id: number): void => {
    const person = isolated(model.nameOf(id));
    const params = { subscriptions: [name], principals: [id] };
    const run = (): void =>
      surface.attempt(client.call('DELETE /users/me/subscriptions', params), () =>
        say('channel.removed', { person, channel: isolated(name) }),
      );
    ask(model, {
      title: say('channel.remove-asked', { person, channel: isolated(name) }),
      text: say('channel.remove-text'),
      action: say('channel.remove'),
      run,
    });
  };
  const addThem = (): void => {
    const params = { subscriptions: [{ name }], principals: [...chosen] };
    surface.attempt(client.call('POST /users/me/subscriptions', params), () => {
      choose(new Set());
      add(false);
      load();
      return say('channel.added');
    });
  };
  return (
    <section class="settings" aria-label={say('channel.members')}>
      <h3>
        {say('channel.members')} {members && <small>{numberText(members.length)}</small>}
      </h3>
      {isAdding ? (
        <>
          <PeoplePicker
            model={model}
            label={say('people.add')}
            chosen={chosen}
            without={new Set(members)}
            onChange={choose}
          />
          <p class="choices">
            <button type="button" class="plain" onClick={() => add(false)}>
              {say('common.cancel')}
            </button>
            <button type="button" disabled={chosen.size === 0} onClick={addThem}>
              {say('common.add')}
            </button>
          </p>
        </>
      ) : (
        <p>
          <button type="button" onClick={() => add(true)}>
            {say('people.add-asked')}
          </button>
        </p>
      )}
      <ul class="list">
        {byName(model, members ?? [])
          .slice(0, MOST)
          .map((id) => (
            <li key={id} class="line">
              <button class="line" onClick={() => showProfile(model, id)}>
                <Avatar userId={id} url={model.users.get(id)?.avatar_url} size={24} />
                <span class="name">{model.nameOf(id)}</span>
              </button>
              {mayRemove && id !== model.me.user_id && (
                <IconButton
                  icon="close"
                  label={say('channel.remove-it', { person: isolated(model.nameOf(id)) })}
                  onClick={() => remove(id)}
                />
              )}
            </li>
          ))}
      </ul>
    </section>
  );
}
