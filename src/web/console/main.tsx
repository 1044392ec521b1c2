import { render } from 'preact';
import type { Client } from '../../client/index.js';
import { Login } from '../shared/login.js';
import { savedClient } from '../shared/session.js';
import { App } from './app.js';

/* The page of the server says what the console is; who is logged in gets it in that place. */
const form = document.getElementById('login')!;
const visitor = document.getElementById('visitor')!;
const place = document.getElementById('app')!;

function open(client: Client): void {
  visitor.hidden = true;
  document.body.className = 'app';
  render(null, form);
  render(<App client={client} />, place);
}

const client = savedClient();
if (client) open(client);
else render(<Login onLogin={open} />, form);
