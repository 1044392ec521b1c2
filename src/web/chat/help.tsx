import type { Transport } from '../../client/index.js';
import type { Model } from './model.js';
import { Dialog } from './parts/dialog.js';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl+K, ⌘K', 'Find a channel or a person'],
  ['/', 'Search all messages'],
  ['n', 'Next unread conversation'],
  ['c', 'Write'],
  ['j, k', 'Next and previous message'],
  ['+, s, q, e', 'On a message: react, star, quote, edit'],
  ['@, #, :', 'While writing: people, channels, emoji'],
  ['Enter', 'Send; with Shift: new line'],
  ['↑', 'In an empty message: edit the last one'],
  ['Esc', 'Leave the text, then the conversation'],
];

/** What one needs in later weeks, and where it is. */
const LEFT = [
  'scheduled messages, reminders and saved snippets',
  'moving messages to other topics and channels',
  'groups of people, bots, and who may do what in a channel',
  'own emoji, profile fields, muted people, and the other settings of notifications',
];

/** A session opens no WebSocket. */
const TRANSPORTS: Readonly<Partial<Record<Transport, string>>> = {
  stream: 'server-sent events',
  poll: 'long poll',
};

export function showHelp(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title="Help">
      <h3>Keys</h3>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <h3>What this chat leaves to others</h3>
      <p>
        It is small on purpose. Zulip’s apps for the web, desktop, phones and terminals work with
        this server, too, and have:
      </p>
      <ul class="bullets">
        {LEFT.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
      <details>
        <summary>For developers</summary>
        <Transports model={model} />
      </details>
    </Dialog>
  ));
}

function Transports({ model }: { model: Model }) {
  const { connected, transport } = model.state;
  const change = (value: string): void =>
    model.useTransport(value === '' ? undefined : (value as Transport));
  return (
    <>
      <p class="transport" role="status">
        {connected ? `Live by ${TRANSPORTS[transport]}` : 'No connection, trying again …'}
      </p>
      <p class="field-row">
        <label for="transport">Events by</label>
        <select id="transport" onChange={(event) => change(event.currentTarget.value)}>
          <option value="">what works</option>
          {Object.entries(TRANSPORTS).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </p>
    </>
  );
}
