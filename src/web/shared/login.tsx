import { useState } from 'preact/hooks';
import { ParleyError, type Client } from '../../client/index.js';
import { logIn } from './session.js';
import { say } from './say.js';

/** The form that a visitor sees above what the server's page says. */
export function Login({ onLogin }: { onLogin: (client: Client) => void }) {
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const [needsCode, askForCode] = useState(false);
  // Of who was sent here because they have an account already.
  const [known] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    setBusy(true);
    setError('');
    const [username, password] = ['username', 'password'].map((name) => fields.get(name) as string);
    const code = needsCode ? (fields.get('code') as string) : undefined;
    logIn(username!, password!, code).then(onLogin, (reason: Error) => {
      setBusy(false);
      const isCodeMissing = reason instanceof ParleyError && reason.code === 'TWO_FACTOR_REQUIRED';
      if (isCodeMissing && !needsCode) askForCode(true);
      else setError(reason.message);
    });
  };
  return (
    <form onSubmit={submit} aria-label={say('login.title')}>
      <p>
        <label for="username">{say('login.username')}</label>
        <input
          id="username"
          name="username"
          autocomplete="username"
          defaultValue={known}
          required
        />
      </p>
      <p>
        <label for="password">{say('login.password')}</label>
        <input
          id="password"
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
      </p>
      {needsCode && (
        <p>
          <label for="code">{say('login.code')}</label>
          <input id="code" name="code" autocomplete="one-time-code" required autofocus />
        </p>
      )}
      {error !== '' && <p role="alert">{error}</p>}
      <p>
        <button disabled={busy}>{say(busy ? 'login.busy' : 'login.submit')}</button>
      </p>
    </form>
  );
}
