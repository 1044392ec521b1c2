import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Client } from '../../client/index.js';
import { keepPlace, takePlace } from '../shared/asked-place.js';
import { Login } from '../shared/login.js';
import { savedClient } from '../shared/session.js';
import { App } from './app.js';
import { apply } from './events.js';
import { Model } from './model.js';

/*
 * The page of the server has the part `visitor`, which works without script. A visitor gets the form to log in inside
 * of it; who is logged in gets the chat in its place.
 */
const form = document.getElementById('login')!;
const visitor = document.getElementById('visitor')!;
const place = document.getElementById('app')!;

function Chat({ client }: { client: Client }) {
  const [model] = useState(() => new Model(client));
  useEffect(() => void model.run(apply), [model]);
  return <App model={model} />;
}

function open(client: Client): void {
  const asked = takePlace();
  // Other pages lead here, too.
  if (location.pathname !== '/' && location.pathname !== '/chat')
    return location.replace(`/${asked}`);
  if (asked !== location.hash) history.replaceState(null, '', asked);
  visitor.hidden = true;
  document.body.className = 'app';
  render(null, form);
  render(<Chat client={client} />, place);
}

const client = savedClient();
if (client) open(client);
else {
  keepPlace();
  render(<Login onLogin={open} />, form);
}
