import { createCipheriv } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import { randomBytes } from '../../platform/randomness.js';
import { newToken } from '../../services/auth/random-token.js';
import type { SealedState } from '../../services/auth/sealed-state.js';
import { html, type Html } from '../../services/text/html.js';
import { layout, type Reader } from './layout.js';
import type { WebPageRequest } from './page.js';

/*
 * Login by another service in the desktop app (endpoints-invitations.md#desktop-login). Providers refuse to be shown
 * inside of an app, so the app opens a browser. The browser gets a token, encrypted with a key that the app made, which
 * the user carries back by the clipboard: no other program that reads it there can use it.
 */

/** Time to go back to the app with the token. */
const TOKEN_MS = 5 * 60_000;
const KEY = /^[0-9a-f]{64}$/i;
const NONCE_BYTES = 12;

/** Where the page inside of the app sends the token; a script of ours alone does. */
export const DESKTOP_PATH = '/accounts/login/desktop/{provider}';

/** Whether the desktop app asks, and has not opened a browser yet. */
export function isInDesktopApp({ userAgent = '', fields }: WebPageRequest): boolean {
  const isAnswered = fields.has('desktop_flow_otp') || fields.has('mobile_flow_otp');
  return /\bZulipElectron\//.test(userAgent) && !isAnswered;
}

/** The key of a desktop app; null where none asks. @throws ApiError `Invalid OTP` */
export function desktopKeyOf({ fields }: WebPageRequest): string | null {
  const key = fields.get('desktop_flow_otp') ?? null;
  if (key !== null && !KEY.test(key)) throw badRequest('Invalid OTP');
  return key;
}

/** Who logged in, as a browser carries it to the app. */
export interface DesktopToken {
  readonly id: string;
  readonly provider: string;
  readonly user_id: number;
  readonly key_version: string;
}

/** Makes a token that only servers of the organization can read. */
export function desktopToken(
  sealed: SealedState,
  org: Organization,
  { user_id, key_version }: UserDocument,
  provider: string,
): string {
  const token: DesktopToken = { id: newToken(), provider, user_id, key_version };
  return sealed.seal(token, org.now() + TOKEN_MS);
}

/** The token for the app with this key: AES-256-GCM, nonce and tag around it, in hexadecimal. */
function encrypted(token: string, key: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'hex'), nonce);
  const text = [cipher.update(token, 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...text, cipher.getAuthTag()]).toString('hex');
}

const SCRIPT_PATH = '/static/desktop-login.js';
const SCRIPT = html`<script type="module" src="${SCRIPT_PATH}"></script> `;

/** Inside of the app: opens the browser, and waits for the token. */
export function waitingPage(reader: Reader, provider: string): Html {
  const { say } = reader;
  const action = DESKTOP_PATH.replace('{provider}', provider);
  return layout(
    reader,
    say('desktop.browser-title'),
    html`<p id="how">${say('desktop.browser-text')}</p>
      <p id="wrong" role="alert" hidden>${say('desktop.wrong')}</p>
      <p id="too-old" role="alert" hidden>${say('desktop.too-old')}</p>
      <form id="desktop-login" method="post" action="${action}" accept-charset="utf-8">
        <p>
          <label for="pasted">${say('desktop.token')}</label
          ><input id="pasted" autocomplete="off" />
        </p>
        <input type="hidden" name="token" />
        <p><button type="submit">${say('login.title')}</button></p>
      </form>
      ${SCRIPT}`,
  );
}

/** In the browser: what is to be copied. */
export function tokenPage(reader: Reader, token: string, key: string): Html {
  const { say } = reader;
  return layout(
    reader,
    say('desktop.app-title'),
    html`<p>${say('desktop.app-text')}</p>
      <p>
        <label for="token">${say('desktop.token')}</label>
        <input id="token" value="${encrypted(token, key)}" readonly autocomplete="off" />
      </p>
      <p>
        <button id="copy" type="button" data-done="${say('desktop.copied')}">
          ${say('desktop.copy')}
        </button>
      </p>
      ${SCRIPT}`,
  );
}

/** Files of these pages by their addresses. */
export const DESKTOP_FILES: readonly (readonly [path: string, script: string])[] = [
  [
    SCRIPT_PATH,
    String.raw`'use strict';
const pasted = document.getElementById('pasted');
const copy = document.getElementById('copy');

/** A key of this page, and the token once what was pasted can be decrypted with it. */
async function ownKey() {
  if (!globalThis.crypto?.subtle) return null;
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, true, ['decrypt']);
  const token = new Promise((resolve) => {
    pasted.addEventListener('input', async () => {
      const wrong = document.getElementById('wrong');
      try {
        const bytes = Uint8Array.from(pasted.value.trim().match(/[0-9a-f]{2}/gi), (two) => parseInt(two, 16));
        const algorithm = { name: 'AES-GCM', iv: bytes.subarray(0, 12) };
        const text = await crypto.subtle.decrypt(algorithm, key, bytes.subarray(12));
        wrong.hidden = true;
        resolve(new TextDecoder().decode(text));
      } catch {
        wrong.hidden = pasted.value.trim() === '';
      }
    });
  });
  return { key: new Uint8Array(await crypto.subtle.exportKey('raw', key)), pasted: token };
}

/** The app watches the clipboard for what is encrypted with its key. */
async function waitForToken(form) {
  form.addEventListener('submit', (event) => event.preventDefault());
  const app = window.electron_bridge;
  const made = app?.decrypt_clipboard ? app.decrypt_clipboard(1) : await ownKey();
  if (made === null) {
    document.getElementById('how').hidden = true;
    document.getElementById('too-old').hidden = false;
    return;
  }
  const digits = Array.from(made.key, (byte) => byte.toString(16).padStart(2, '0')).join('');
  const query = new URLSearchParams(location.search);
  query.set('desktop_flow_otp', digits);
  window.open(location.pathname + '?' + query, '_blank');
  form.elements.token.value = await made.pasted;
  form.submit();
}

if (pasted) void waitForToken(document.getElementById('desktop-login'));
copy?.addEventListener('click', async () => {
  const token = document.getElementById('token');
  token.select();
  if (navigator.clipboard) await navigator.clipboard.writeText(token.value);
  else document.execCommand('copy');
  copy.textContent = copy.dataset.done;
});
copy?.focus();
`,
  ],
];
