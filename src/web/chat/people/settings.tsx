import { useState } from 'preact/hooks';
import type { Params } from '../../../client/index.js';
import { fieldOf } from '../../shared/components.js';
import type { Model, Settings } from '../model.js';
import { allowNotices } from '../notify.js';
import { Avatar } from '../parts/avatar.js';
import { Dialog } from '../parts/dialog.js';
import type { Emoji } from '../writing/emoji.js';
import { EmojiPicker } from '../writing/emoji-picker.js';

const THEMES = { 1: 'As the device', 3: 'Light', 2: 'Dark' } as const;
const READING = {
  1: 'Whatever I see',
  2: 'What I see in topics and direct messages',
  3: 'Nothing by itself',
} as const;
/** Of mails and notices; this chat is in English. */
const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'ja',
  'ar',
  'it',
  'nl',
  'pl',
  'pt',
  'sv',
  'uk',
  'zh-hans',
];

/** Settings that are on or off, by what they do. */
const SWITCHES = {
  enable_desktop_notifications: 'Notices of direct messages and mentions',
  enable_stream_desktop_notifications: 'Notices of all messages in channels',
  enable_offline_email_notifications: 'A mail about what I missed',
  enable_login_emails: 'A mail when a new device logs in',
  send_private_typing_notifications: 'Others see in direct messages that I type',
  send_stream_typing_notifications: 'Others see in channels that I type',
  send_read_receipts: 'Others see what I have read',
} as const satisfies Partial<Record<keyof Settings, string>>;

type Change = Params<'PATCH /settings'>;

/** What people change about themselves and for themselves. */
export function showSettings(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title="Settings">
      <Profile model={model} />
      <Status model={model} />
      <Preferences model={model} />
      <Notifications model={model} />
      <Password model={model} />
    </Dialog>
  ));
}

function save(model: Model, change: Change): void {
  model.surface.attempt(model.client.call('PATCH /settings', change), () => 'Saved.');
}

function Profile({ model }: { model: Model }) {
  const { me, surface, client } = model;
  const upload = async (file: File): Promise<void> => {
    const body = new FormData();
    body.append('file', file, file.name);
    await client.read(
      await client.request(`${client.base}/users/me/avatar`, { method: 'POST', body }),
    );
  };
  return (
    <form
      class="settings"
      aria-label="Profile"
      onSubmit={(event) => {
        event.preventDefault();
        save(model, { full_name: fieldOf(event, 'full_name') });
      }}
    >
      <h3>Profile</h3>
      <p class="own-picture">
        <Avatar userId={me.user_id} url={me.avatar_url} size={64} />
        <label class="file button-like">
          Change picture
          <input
            type="file"
            accept="image/*"
            onChange={(event) => {
              const [file] = event.currentTarget.files ?? [];
              if (file) surface.attempt(upload(file), () => 'The picture is changed.');
              event.currentTarget.value = '';
            }}
          />
        </label>
      </p>
      <label for="own-name">Name</label>
      <p class="field-row">
        <input
          id="own-name"
          name="full_name"
          defaultValue={me.full_name}
          maxLength={100}
          required
        />
        <button>Save</button>
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
    surface.attempt(work, () => 'Your status is told.');
  };
  return (
    <form
      class="settings"
      aria-label="Status"
      onSubmit={(event) => {
        event.preventDefault();
        tell(text.trim(), emoji);
      }}
    >
      <h3>Status</h3>
      <label for="own-status">What you are doing</label>
      <p class="field-row">
        <button
          type="button"
          class="plain sign"
          aria-label="Emoji of the status"
          onClick={() => pick(!picking)}
        >
          {sign || '☺'}
        </button>
        <input
          id="own-status"
          maxLength={60}
          placeholder="In a meeting, on holiday …"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button>Save</button>
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
          Clear
        </button>
      </p>
      {picking && (
        <EmojiPicker
          model={model}
          label="Emoji of the status"
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
  const languageNames = new Intl.DisplayNames(['en'], { type: 'language' });
  const language = settings.default_language ?? 'en';
  const number = (event: { currentTarget: HTMLSelectElement }) => Number(event.currentTarget.value);
  return (
    <section class="settings pairs" aria-label="Look and reading">
      <h3>Look and reading</h3>
      <label for="theme">Theme</label>
      <select
        id="theme"
        value={settings.color_scheme}
        onChange={(event) => save(model, { color_scheme: number(event) as 1 | 2 | 3 })}
      >
        {Object.entries(THEMES).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <label for="mark-read">Marked as read</label>
      <select
        id="mark-read"
        value={settings.web_mark_read_on_scroll_policy}
        onChange={(event) =>
          save(model, { web_mark_read_on_scroll_policy: number(event) as 1 | 2 | 3 })
        }
      >
        {Object.entries(READING).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <label for="language">Language of mails and notices</label>
      <select
        id="language"
        value={language}
        onChange={(event) => save(model, { default_language: event.currentTarget.value })}
      >
        {[...new Set([...LANGUAGES, language])].map((value) => (
          <option key={value} value={value}>
            {languageNames.of(value)}
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
    <section class="settings" aria-label="Notifications">
      <h3>Notifications and privacy</h3>
      {canAsk && (
        <p>
          <button onClick={() => void allowNotices().then(() => model.changed())}>
            Allow notices in this browser
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
          {text}
        </label>
      ))}
    </section>
  );
}

function Password({ model }: { model: Model }) {
  return (
    <form
      class="settings"
      aria-label="Password"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        // As they are written, with the spaces around them.
        const [old_password, new_password] = ['old', 'new'].map(
          (name) => fields.get(name) as string,
        );
        const work = model.client.call('PATCH /settings', { old_password, new_password });
        model.surface.attempt(work, () => {
          // The session is a new one, whose token the page has not.
          location.reload();
        });
      }}
    >
      <h3>Password</h3>
      {/* For programs that keep passwords. */}
      <input type="hidden" name="username" autocomplete="username" value={model.me.email} />
      <label for="old-password">Present password</label>
      <input
        id="old-password"
        name="old"
        type="password"
        autocomplete="current-password"
        required
      />
      <label for="new-password">New password</label>
      <p class="field-row">
        <input id="new-password" name="new" type="password" autocomplete="new-password" required />
        <button>Change</button>
      </p>
      <small>All other devices are logged out.</small>
    </form>
  );
}
