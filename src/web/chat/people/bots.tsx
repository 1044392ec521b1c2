import { useEffect, useState } from 'preact/hooks';
import { fieldOf } from '../../shared/components.js';
import type { Model } from '../model.js';
import { Avatar } from '../parts/avatar.js';
import { ask, Dialog } from '../parts/dialog.js';
import { say } from '../say.js';
import { isolated } from '../view.js';
import { isIn } from './groups.js';

/** Kinds of bots that somebody makes here: one that does as a person does, and one that only writes. */
const KINDS = { 1: 'bots.generic', 2: 'bots.incoming' } as const;
type Kind = keyof typeof KINDS;

/** The reader's own bots. */
export function showBots(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('bots.title')}>
      <Bots model={model} />
    </Dialog>
  ));
}

function Bots({ model }: { model: Model }) {
  const { surface, client, users, me, allowed } = model;
  /** Keys that were asked for, by bot. */
  const [keys, setKeys] = useState<ReadonlyMap<number, string>>(new Map());
  const [mayMake, allow] = useState(false);
  useEffect(() => {
    if (allowed.bots !== undefined) model.quietly(isIn(model, allowed.bots).then(allow));
  }, []);
  const own = users.byName.filter(
    (one) => one.is_bot && one.is_active && one.bot_owner_id === me.user_id,
  );
  const know = (id: number, key: string): void => setKeys(new Map([...keys, [id, key]]));
  const showKey = (bot_id: number): void =>
    surface.attempt(client.call('GET /bots/{bot_id}/api_key', { bot_id }), ({ api_key }) =>
      know(bot_id, api_key),
    );
  const turnOff = (bot_id: number): void => {
    const bot = isolated(model.nameOf(bot_id));
    const run = (): void =>
      surface.attempt(client.call('DELETE /bots/{bot_id}', { bot_id }), () => {
        showBots(model);
        return say('bots.off', { bot });
      });
    ask(model, {
      title: say('bots.turn-off-one', { bot }),
      text: say('bots.off-asked'),
      action: say('bots.turn-off'),
      run,
    });
  };
  return (
    <>
      {own.length === 0 && <p class="empty">{say('bots.none')}</p>}
      <ul class="list">
        {own.map(({ user_id: id, full_name, email, avatar_url }) => (
          <li key={id}>
            <p class="field-row">
              <Avatar userId={id} url={avatar_url} size={24} />
              <span class="name">
                <bdi>{full_name}</bdi> <small>{email}</small>
              </span>
              {!keys.has(id) && (
                <button
                  class="plain"
                  aria-label={say('bots.key-of', { bot: isolated(full_name) })}
                  onClick={() => showKey(id)}
                >
                  {say('bots.key')}
                </button>
              )}
              <button
                class="plain"
                aria-label={say('bots.turn-off-one', { bot: isolated(full_name) })}
                onClick={() => turnOff(id)}
              >
                {say('bots.turn-off')}
              </button>
            </p>
            {keys.has(id) && (
              <input
                class="wide-field"
                aria-label={say('bots.key-of', { bot: isolated(full_name) })}
                readOnly
                value={keys.get(id)}
              />
            )}
          </li>
        ))}
      </ul>
      {mayMake && (
        <form
          class="settings"
          aria-label={say('bots.make')}
          onSubmit={(event) => {
            event.preventDefault();
            const form = event.currentTarget;
            const params = {
              full_name: fieldOf(event, 'full_name'),
              short_name: fieldOf(event, 'short_name'),
              bot_type: Number(fieldOf(event, 'kind')) as Kind,
            };
            surface.attempt(client.call('POST /bots', params), ({ user_id, api_key }) => {
              form.reset();
              know(user_id, api_key);
              return say('bots.made', { bot: isolated(params.full_name) });
            });
          }}
        >
          <h3>{say('bots.make')}</h3>
          <label for="bot-name">{say('common.name')}</label>
          <input id="bot-name" name="full_name" dir="auto" maxLength={100} required />
          <label for="bot-address">{say('bots.address')}</label>
          <input
            id="bot-address"
            name="short_name"
            pattern="[a-z0-9_.\-]+"
            title={say('bots.address-hint')}
            maxLength={40}
            required
          />
          <label for="bot-kind">{say('bots.kind')}</label>
          <p class="field-row">
            <select id="bot-kind" name="kind">
              {Object.entries(KINDS).map(([value, text]) => (
                <option key={value} value={value}>
                  {say(text)}
                </option>
              ))}
            </select>
            <button>{say('bots.make-it')}</button>
          </p>
        </form>
      )}
    </>
  );
}
