import { useEffect, useReducer, useRef } from 'preact/hooks';
import { ParleyError } from '../../client/index.js';
import { keepPlace } from '../shared/asked-place.js';
import { logOut } from '../shared/session.js';
import { Conversation } from './conversation.js';
import { Home } from './home.js';
import { fetchDialogs, open } from './later/open.js';
import type { Model } from './model.js';
import { Notice } from './parts/dialog.js';
import { say } from './say.js';
import { Sidebar } from './sidebar.js';
import { viewAt } from './view.js';

/** How often the others hear that this user is there. Milliseconds: presence holds for 140 s. */
const PRESENCE_MS = 60_000;

/** The whole chat; drawn again after every change of the model. */
export function App({ model }: { model: Model }) {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const main = useRef<HTMLElement>(null);
  useEffect(() => model.subscribe(() => redraw(undefined)), [model]);
  useEffect(() => keepPresence(model), [model]);
  useEffect(() => shortcuts(model), [model]);
  useEffect(() => tellTimezone(model), [model.ready]);
  const { view, surface } = model;
  const isDrawn = model.ready && model.pages.of(view)?.loading !== true;
  useEffect(() => {
    if (!isDrawn) return;
    model.users.load();
    fetchDialogs(model);
  });
  useEffect(() => {
    const total = model.ready ? model.unreadTotal : 0;
    const count = total > 0 ? `(${total}) ` : '';
    document.title = model.ready ? `${count}${model.titleOf(view)} · ${model.realmName}` : 'Parley';
  });
  if (model.ended && !model.isRenewing) return <Ended error={model.ended} />;
  if (!model.ready) {
    return (
      <p class="notice" role="status">
        {say(model.state.error === undefined ? 'common.loading' : 'common.reconnecting')}
      </p>
    );
  }
  return (
    <div class={`chat ${view.kind === 'home' ? 'at-home' : 'in-view'}`}>
      <Sidebar model={model} />
      <main ref={main} aria-label={model.titleOf(view)}>
        {view.kind === 'home' ? <Home model={model} /> : <Conversation model={model} />}
      </main>
      {surface.dialog ? surface.dialog() : <Notice model={model} />}
    </div>
  );
}

function Ended({ error }: { error: Error }) {
  // The server's page shows what is to be done first.
  if (error instanceof ParleyError && error.code === 'TWO_FACTOR_SETUP_REQUIRED') {
    keepPlace();
    location.replace('/accounts/two-factor/');
  }
  const isLogin = error instanceof ParleyError && error.status === 401;
  return (
    <div class="notice" role="alert">
      <p>{isLogin ? say('app.login-ended') : say('app.ended', { reason: error.message })}</p>
      <button onClick={isLogin ? logOut : () => location.reload()}>
        {say(isLogin ? 'app.log-in' : 'app.connect-again')}
      </button>
    </div>
  );
}

/** Who has just joined was not asked for their time zone: the browser knows it. */
function tellTimezone(model: Model): void {
  if (!model.ready || model.settings.timezone !== '') return;
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
  model.quietly(model.client.call('PATCH /settings', { timezone }));
}

function keepPresence(model: Model): () => void {
  const tell = (): void => {
    const status = document.visibilityState === 'visible' ? 'active' : 'idle';
    model.quietly(model.client.call('POST /users/me/presence', { status, ping_only: true }));
    // Who went away is drawn so, though no event says it.
    model.changed();
  };
  tell();
  const timer = setInterval(tell, PRESENCE_MS);
  document.addEventListener('visibilitychange', tell);
  return () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tell);
  };
}

/** Keys that work wherever nothing is being written. */
function shortcuts(model: Model): () => void {
  const pressed = (event: KeyboardEvent): void => {
    const { target, key } = event;
    const isWriting =
      target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
    if (event.isComposing || event.altKey || document.querySelector('dialog[open]')) return;
    const isCommand = event.ctrlKey || event.metaKey;
    if (key === 'k' && isCommand) {
      focusOn(event, '#filter');
      if (document.activeElement?.id !== 'filter') {
        // On a phone the list is at home.
        model.go({ kind: 'home' });
        setTimeout(() => document.getElementById('filter')?.focus());
      }
      event.preventDefault();
    } else if (isWriting || isCommand) return;
    else if (key === '/') focusOn(event, '#search');
    else if (key === 'c') focusOn(event, '#compose');
    else if (key === '?') open('showHelp', model);
    else if (key === 'n') {
      const [next] = model.unreadConversations();
      if (next) model.go(viewAt(next.address));
    } else if (key === 'j' || key === 'k') step(event, key === 'j' ? 1 : -1);
    else if (key === 'Escape') model.go({ kind: 'home' });
  };
  document.addEventListener('keydown', pressed);
  return () => document.removeEventListener('keydown', pressed);
}

function focusOn(event: Event, selector: string): void {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) return;
  event.preventDefault();
  found.focus();
}

/** Moves the focus among the messages; the newest first. */
function step(event: Event, by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>('.message')];
  const at = all.findIndex((one) => one.contains(document.activeElement));
  const next = at < 0 ? all.at(-1) : all[at + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
