import { useState } from 'preact/hooks';
import type { Params } from '../../../client/index.js';
import { LANGUAGES, type Language } from '../../../languages/languages.js';
import { fieldOf } from '../../shared/components.js';
import type { Model, Settings } from '../model.js';
import { allowNotices } from '../notify.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import type { Emoji } from '../writing/emoji.js';
import { say } from '../say.js';
import { showBots } from './bots.js';
import { showLogins } from './logins.js';
import { showOwnEmoji } from '../writing/own-emoji.js';
import { EmojiPicker } from '../writing/emoji-picker.js';

const THEMES = { 1: 'theme.automatic', 3: 'theme.light', 2: 'theme.dark' } as const;
const READING = {
  1: 'mark-read.always',
  2: 'mark-read.conversations',
  3: 'mark-read.never',
} as const;

/** Settings that are on or off, by what they do. */
const SWITCHES = {
  enable_desktop_notifications: 'switch.desktop',
  enable_stream_desktop_notifications: 'switch.desktop-channels',
  enable_offline_email_notifications: 'switch.missed-mail',
  enable_login_emails: 'switch.login-mail',
  send_private_typing_notifications: 'switch.typing-direct',
  send_stream_typing_notifications: 'switch.typing-channels',
  send_read_receipts: 'switch.read-receipts',
} as const satisfies Partial<Record<keyof Settings, string>>;

type Change = Params<'PATCH /settings'>;

/** What people change about themselves and for themselves. */
export function showSettings(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('settings.title')}>
      <Profile model={model} />
      <Status model={model} />
      <Preferences model={model} />
      <Notifications model={model} />
      <Password model={model} />
      <section class="settings" aria-label={say('settings.more')}>
        <h3>{say('settings.more')}</h3>
        <p class="field-row">
          <button onClick={() => showLogins(model)}>{say('logins.title')}</button>
          <button onClick={() => showOwnEmoji(model)}>{say('emoji.title')}</button>
          <button onClick={() => showBots(model)}>{say('bots.title')}</button>
        </p>
      </section>
    </Dialog>
  ));
}

function save(model: Model, change: Change): void {
  model.surface.attempt(model.client.call('PATCH /settings', change), () => say('common.saved'));
}

function Profile({ model }: { model: Model }) {
  const { me, surface, client } = model;
  const upload = (data: File): Promise<unknown> =>
    client.call('POST /users/me/avatar', {}, { file: { data, name: data.name } });
  return (
    <form
      class="settings"
      aria-label={say('profile.title')}
      onSubmit={(event) => {
        event.preventDefault();
        save(model, { full_name: fieldOf(event, 'full_name') });
      }}
    >
      <h3>{say('profile.title')}</h3>
      <p class="own-picture">
        <Avatar userId={me.user_id} url={me.avatar_url} size={64} />
        <label class="file button-like">
          {say('settings.change-picture')}
          <input
            type="file"
            accept="image/*"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) surface.attempt(upload(file), () => say('settings.picture-changed'));
              event.currentTarget.value = '';
            }}
          />
        </label>
      </p>
      <label for="own-name">{say('common.name')}</label>
      <p class="field-row">
        <input
          id="own-name"
          name="full_name"
          defaultValue={me.full_name}
          maxLength={100}
          required
        />
        <button>{say('common.save')}</button>
      </p>
    </form>
  );
}

function Status({ model }: { model: Model }) {
  const { statuses, me, surface, client } = model;
  const [text, setText] = useState(statuses.textOf(me.user_id));
  const [sign, setSign] = useState(statuses.emojiOf(me.user_id));
  const [emoji, setEmoji] = useState<Emoji | null>();
  const [picking, pick] = useState(false);
  const tell = (status_text: string, chosen: Emoji | null | undefined): void => {
    // Left out, it stays as it is; empty, it goes.
    const emoji_name = chosen === undefined ? undefined : (chosen?.name ?? '');
    const work = client.call('POST /users/me/status', { status_text, emoji_name });
    surface.attempt(work, () => say('settings.status-told'));
  };
  return (
    <form
      class="settings"
      aria-label={say('profile.status')}
      onSubmit={(event) => {
        event.preventDefault();
        tell(text.trim(), emoji);
      }}
    >
      <h3>{say('profile.status')}</h3>
      <label for="own-status">{say('settings.doing')}</label>
      <p class="field-row">
        <button
          type="button"
          class="plain sign"
          aria-label={say('settings.status-emoji')}
          onClick={() => pick(!picking)}
        >
          {sign || '☺'}
        </button>
        <input
          id="own-status"
          maxLength={60}
          placeholder={say('settings.doing-hint')}
          dir="auto"
          value={text}
          // What it was before somebody writes here.
          defaultValue={statuses.textOf(me.user_id)}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button>{say('common.save')}</button>
        <button
          type="button"
          class="plain"
          onClick={() => {
            setText('');
            setSign('');
            setEmoji(null);
            tell('', null);
          }}
        >
          {say('settings.clear')}
        </button>
      </p>
      {picking && (
        <EmojiPicker
          model={model}
          label={say('settings.status-emoji')}
          onClose={() => pick(false)}
          onChoose={(one) => {
            setEmoji(one);
            setSign(one.text ?? `:${one.name}:`);
            pick(false);
          }}
        />
      )}
    </form>
  );
}

function Preferences({ model }: { model: Model }) {
  const { settings } = model;
  const language = settings.default_language ?? 'en';
  const number = (event: { currentTarget: HTMLSelectElement }) => Number(event.currentTarget.value);
  return (
    <section class="settings pairs" aria-label={say('settings.look')}>
      <h3>{say('settings.look')}</h3>
      <label for="theme">{say('settings.theme')}</label>
      <select
        id="theme"
        value={settings.color_scheme}
        onChange={(event) => save(model, { color_scheme: number(event) as 1 | 2 | 3 })}
      >
        {Object.entries(THEMES).map(([value, name]) => (
          <option key={value} value={value}>
            {say(name)}
          </option>
        ))}
      </select>
      <label for="mark-read">{say('settings.mark-read')}</label>
      <select
        id="mark-read"
        value={settings.web_mark_read_on_scroll_policy}
        onChange={(event) =>
          save(model, { web_mark_read_on_scroll_policy: number(event) as 1 | 2 | 3 })
        }
      >
        {Object.entries(READING).map(([value, name]) => (
          <option key={value} value={value}>
            {say(name)}
          </option>
        ))}
      </select>
      <label for="language">{say('settings.language')}</label>
      <select
        id="language"
        value={language}
        onChange={(event) => save(model, { default_language: event.currentTarget.value })}
      >
        {[...new Set([...Object.keys(LANGUAGES), language])].map((value) => (
          <option key={value} value={value} lang={value}>
            {LANGUAGES[value as Language]?.name ?? value}
          </option>
        ))}
      </select>
    </section>
  );
}

function Notifications({ model }: { model: Model }) {
  const { settings } = model;
  const canAsk = typeof Notification !== 'undefined' && Notification.permission === 'default';
  return (
    <section class="settings" aria-label={say('settings.notifications')}>
      <h3>{say('settings.notifications-title')}</h3>
      {canAsk && (
        <p>
          <button onClick={() => void allowNotices().then(() => model.changed())}>
            {say('settings.allow-notices')}
          </button>
        </p>
      )}
      {Object.entries(SWITCHES).map(([name, text]) => (
        <label key={name} class="switch">
          <input
            type="checkbox"
            name={name}
            checked={settings[name as keyof typeof SWITCHES] ?? false}
            onChange={(event) => save(model, { [name]: event.currentTarget.checked })}
          />
          {say(text)}
        </label>
      ))}
    </section>
  );
}

function Password({ model }: { model: Model }) {
  return (
    <form
      class="settings"
      aria-label={say('password.title')}
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        // As they are written, with the spaces around them.
        const [old_password, new_password] = ['old', 'new'].map(
          (name) => fields.get(name) as string,
        );
        const work = model.client.call('PATCH /settings', {
          old_password,
          new_password,
          // Apps have the key: without a new one they would stay logged in.
          regenerate_api_key: true,
        });
        model.isRenewing = true;
        work.catch(() => {
          model.isRenewing = false;
          model.changed();
        });
        model.surface.attempt(work, () => {
          // The session is a new one, whose token the page has not.
          location.reload();
        });
      }}
    >
      <h3>{say('password.title')}</h3>
      {/* For programs that keep passwords. */}
      <input type="hidden" name="username" autocomplete="username" value={model.me.email} />
      <label for="old-password">{say('password.present')}</label>
      <input
        id="old-password"
        name="old"
        type="password"
        autocomplete="current-password"
        required
      />
      <label for="new-password">{say('password.new')}</label>
      <p class="field-row">
        <input id="new-password" name="new" type="password" autocomplete="new-password" required />
        <button>{say('profile.change')}</button>
      </p>
      <small>{say('password.others')}</small>
    </form>
  );
}
