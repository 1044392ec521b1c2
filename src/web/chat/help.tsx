import type { Transport } from '../../client/index.js';
import type { Model } from './model.js';
import { Dialog } from './parts/dialog.js';
import { say } from './say.js';

const KEYS = [
  ['Ctrl+K, ⌘K', 'list.find-what'],
  ['/', 'header.search-all'],
  ['n', 'help.next-unread'],
  ['c', 'write.write'],
  ['j, k', 'help.step'],
  ['+, s, q, e', 'help.on-message'],
  ['@, #, :', 'help.completion'],
  ['#…>', 'help.topics'],
  ['Enter', 'help.send'],
  ['↑', 'help.edit-last'],
  ['Esc', 'help.escape'],
] as const;

/** What one needs in later weeks, and where it is. */
const LEFT = ['help.scheduled', 'help.groups', 'help.others'] as const;

/** A session opens no WebSocket. */
const TRANSPORTS = ['stream', 'poll'] as const;

export function showHelp(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('help.title')}>
      <h3>{say('help.keys')}</h3>
      <dl>
        {KEYS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{say(meaning)}</dd>
          </div>
        ))}
      </dl>
      <h3>{say('help.left')}</h3>
      <p>{say('help.left-to')}</p>
      <ul class="bullets">
        {LEFT.map((one) => (
          <li key={one}>{say(one)}</li>
        ))}
      </ul>
      <details>
        <summary>{say('help.developers')}</summary>
        <Transports model={model} />
      </details>
    </Dialog>
  ));
}

function nameOf(transport: Transport): string {
  return say(transport === 'poll' ? 'transport.poll' : 'transport.stream');
}

function Transports({ model }: { model: Model }) {
  const { connected, transport } = model.state;
  const change = (value: string): void =>
    model.useTransport(value === '' ? undefined : (value as Transport));
  return (
    <>
      <p class="transport" role="status">
        {connected
          ? say('help.live-by', { transport: nameOf(transport) })
          : say('common.reconnecting')}
      </p>
      <p class="field-row">
        <label for="transport">{say('help.events-by')}</label>
        <select id="transport" onChange={(event) => change(event.currentTarget.value)}>
          <option value="">{say('help.any-transport')}</option>
          {TRANSPORTS.map((value) => (
            <option key={value} value={value}>
              {nameOf(value)}
            </option>
          ))}
        </select>
      </p>
    </>
  );
}
