import { render } from 'preact';
import { Login } from '../shared/login.js';
import { savedClient } from '../shared/session.js';
import { App } from './app.js';

/* The page of the server says what the console is; who is logged in gets it in that place. */
const form = document.getElementById('login')!;
const visitor = document.getElementById('visitor')!;
const place = document.getElementById('app')!;

const client = savedClient();
if (client) {
  visitor.hidden = true;
  document.body.className = 'app';
  render(<App client={client} />, place);
} else {
  // The page of who is logged in is in their language, which the browser's may not be.
  render(<Login onLogin={() => location.reload()} />, form);
}
