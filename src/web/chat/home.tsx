import { useState } from 'preact/hooks';
import { fieldOf } from '../shared/components.js';
import { allowNotices } from './notify.js';
import type { Model } from './model.js';
import { Header } from './header.js';
import { viewAt } from './view.js';

/** Conversations shown at most: nobody reads on. */
const MOST_ROWS = 100;

/** What is unread, and the few things that begin a team. */
export function Home({ model }: { model: Model }) {
  const rows = model.unread.conversations();
  return (
    <>
      <Header model={model} />
      <div class="scroll home" tabIndex={0} role="region" aria-label="Unread conversations">
        {rows.length === 0 ? (
          <p class="empty">You have read everything.</p>
        ) : (
          <ul class="inbox">
            {rows.slice(0, MOST_ROWS).map(({ address, count }) => (
              <li key={address}>
                <a href={address}>
                  <span class="name">{model.titleOf(viewAt(address))}</span>
                  <span class="count">
                    {count}
                    <span class="hidden"> unread</span>
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
        <Begin model={model} />
      </div>
    </>
  );
}

function Begin({ model }: { model: Model }) {
  const [result, setResult] = useState('');
  const [link, setLink] = useState('');
  const fail = (error: Error): void => setResult(error.message);
  const join = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = fieldOf(event, 'name');
    if (name === '') return;
    model.client.call('POST /users/me/subscriptions', { subscriptions: [{ name }] }).then(() => {
      form.reset();
      setResult(`You are in #${name}.`);
    }, fail);
  };
  const invite = (): void => {
    model.client
      .call('POST /invites/multiuse', { include_realm_default_subscriptions: true })
      .then(({ invite_link }) => setLink(invite_link), fail);
  };
  const canAsk = typeof Notification !== 'undefined' && Notification.permission === 'default';
  return (
    <section class="begin" aria-label="Begin">
      <form onSubmit={join}>
        <label for="channel-name">Join or create a channel</label>
        <input id="channel-name" name="name" maxLength={60} required />
        <button>Join</button>
      </form>
      <p>
        <button onClick={invite}>Invite people by a link</button>
        {canAsk && (
          <button onClick={() => void allowNotices().then(() => model.changed())}>
            Show notices of direct messages and mentions
          </button>
        )}
      </p>
      {link !== '' && (
        <p>
          <label for="invite-link">Whoever opens this link can join</label>
          <input
            id="invite-link"
            value={link}
            readOnly
            onFocus={(event) => event.currentTarget.select()}
          />
        </p>
      )}
      <p role="status">{result}</p>
    </section>
  );
}
