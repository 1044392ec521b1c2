import { useState } from 'preact/hooks';
import type { Client } from '../../client/index.js';
import { logIn } from './session.js';

/** The form that a visitor sees above what the server's page says. */
export function Login({ onLogin }: { onLogin: (client: Client) => void }) {
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setError('');
    logIn(fields.get('username') as string, fields.get('password') as string).then(
      onLogin,
      (reason: Error) => {
        setBusy(false);
        setError(reason.message);
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="Log in">
      <p>
        <label for="username">E-mail address or user name</label>
        <input id="username" name="username" autocomplete="username" required />
      </p>
      <p>
        <label for="password">Password</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
      </p>
      {error !== '' && <p role="alert">{error}</p>}
      <p>
        <button disabled={busy}>{busy ? 'Logging in …' : 'Log in'}</button>
      </p>
    </form>
  );
}
