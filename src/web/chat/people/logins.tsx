import { useEffect, useState } from 'preact/hooks';
import type { Reply } from '../../../client/index.js';
import { fieldOf } from '../../shared/components.js';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { say } from '../say.js';
import { wholeText } from '../times.js';
import { isolated } from '../view.js';

type Session = Reply<'GET /users/me/sessions'>['sessions'][number];

/** Where the reader is logged in, and what a login needs beside the password. */
export function showLogins(model: Model): void {
  model.surface.show(() => (
    <Dialog model={model} title={say('logins.title')}>
      <Sessions model={model} />
      <Factor model={model} />
    </Dialog>
  ));
}

function Sessions({ model }: { model: Model }) {
  const { surface, client } = model;
  const [sessions, show] = useState<readonly Session[]>();
  const load = (): void =>
    surface.attempt(client.call('GET /users/me/sessions', {}), (reply) => show(reply.sessions));
  useEffect(load, []);
  const others = (sessions ?? []).filter((one) => !one.is_current);
  const end = (ended: readonly Session[]): void => {
    const call = 'DELETE /users/me/sessions/{session_id}';
    const work = Promise.all(ended.map(({ id }) => client.call(call, { session_id: id })));
    surface.attempt(work, () => {
      load();
      // The button that was pressed goes, and with it the focus.
      document.getElementById('dialog-title')?.focus();
      return say('logins.ended');
    });
  };
  return (
    <section class="settings" aria-label={say('logins.browsers')}>
      <h3>{say('logins.browsers')}</h3>
      <ul class="list">
        {(sessions ?? []).map((one) => (
          <li key={one.id} class="field-row">
            <span class="name">
              <bdi>{one.device}</bdi>{' '}
              <small>
                {one.is_current
                  ? say('logins.here')
                  : say('logins.used', { time: timeText(one.last_used_at) })}
              </small>
            </span>
            {!one.is_current && (
              <button
                class="plain"
                aria-label={say('logins.end-one', { device: isolated(one.device) })}
                onClick={() => end([one])}
              >
                {say('logins.end')}
              </button>
            )}
          </li>
        ))}
      </ul>
      {others.length > 1 && (
        <p>
          <button onClick={() => end(others)}>{say('logins.end-others')}</button>
        </p>
      )}
      <small>{say('logins.apps')}</small>
    </section>
  );
}

function Factor({ model }: { model: Model }) {
  const { surface, client } = model;
  const [factor, show] = useState<Reply<'GET /users/me/two_factor'>>();
  const load = (): void =>
    surface.attempt(client.call('GET /users/me/two_factor', {}), (reply) => show(reply));
  useEffect(load, []);
  if (!factor) return null;
  return (
    <section class="settings" aria-label={say('factor.title')}>
      <h3>{say('factor.title')}</h3>
      {factor.enabled ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            const password = new FormData(event.currentTarget).get('password') as string;
            const params = { password, code: fieldOf(event, 'code') };
            surface.attempt(client.call('DELETE /users/me/two_factor', params), () => {
              load();
              document.getElementById('dialog-title')?.focus();
              return say('factor.is-off');
            });
          }}
        >
          <p>{say('factor.on', { count: factor.recovery_codes_left })}</p>
          <label for="factor-password">{say('password.present')}</label>
          <input
            id="factor-password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
          <label for="factor-code">{say('factor.code')}</label>
          <p class="field-row">
            <input id="factor-code" name="code" autocomplete="one-time-code" required />
            <button>{say('factor.turn-off')}</button>
          </p>
        </form>
      ) : (
        <>
          <p>{say('factor.off')}</p>
          <p>
            <a class="button-like" href="/accounts/two-factor/">
              {say('factor.set-up')}
            </a>
          </p>
        </>
      )}
    </section>
  );
}

function timeText(seconds: number): string {
  return wholeText(new Date(seconds * 1000));
}
