/** What is pressed: the chat, the console, and the pages of visitors, each with what has happened there. */
import type { Test } from 'tap';
import { ApiClient } from '../../../harness/client.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  storeFolder,
} from '../../../harness/server.js';
import { upload } from '../../../harness/uploading.js';
import { MARK, type Looked } from './in-page.js';
import type { Place } from './presser.js';
import type { Ground } from './round.js';
import { makeScene, passwordOf, type Scene } from './scene.js';

/** Pages of a server with somebody who presses. */
export interface Pressed {
  readonly server: { readonly url: string };
  readonly reader: { readonly email: string; readonly password: string };
  readonly place: Omit<Place, keyof Looked> & Pick<Looked, 'area'>;
  readonly ground: Ground;
  /** Things that are pressed, at least. */
  readonly least: number;
}

/** @param who presses, where there are several */
export type Places = (t: Test, who: keyof Scene['readers'], language: string) => Promise<Pressed>;

export const PLACES = { chat: inChat, console: inConsole, pages: onPages };

async function inChat(t: Test, who: keyof Scene['readers'], language: string): Promise<Pressed> {
  const { server, readers, addresses } = await makeScene(t);
  const reader = readers[who];
  const restore = async (): Promise<unknown> => {
    // A press on the form of the password ends the key.
    const api = await ApiClient.login(server.url, reader.email, reader.password);
    return api.ok('PATCH', '/settings', { default_language: language });
  };
  await restore();
  const alike = addresses[who];
  return {
    server,
    reader,
    place: { area: '.chat', home: '/#/home', elsewhere: '#/starred' },
    ground: {
      begins: ['/#/home', alike[0]!],
      alike,
      restore,
      changes: (kind) => kind.includes('| select'),
    },
    // They are some 130 to 190.
    least: 110,
  };
}

/** Views of the console. */
const VIEWS = [
  ...['overview', 'queues', 'actors', 'journal', 'trouble', 'log', 'operation', 'people'],
  ...['invitations', 'groups', 'channels', 'logins', 'mails', 'files', 'audit', 'settings'],
];
/** The role of the others, which they have again after each press that may give them another: a second owner could lock out the first. */
const MEMBER = 400;

async function inConsole(
  t: Test,
  _who: keyof Scene['readers'],
  language: string,
): Promise<Pressed> {
  const args = ['--backup-to', storeFolder(t), '--backup-at', 'off'];
  const server = await RunningServer.start(t, { args });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.ok('PATCH', '/settings', { full_name: `${MARK}owner`, default_language: language });
  const { realm_can_invite_users_group: inviters } = await owner.ok('POST', '/register', {
    fetch_event_types: ['realm'],
  });
  const others: number[] = [];
  for (const name of ['hamlet', 'osric', 'yorick']) {
    const one = await owner.createUser(`${MARK}${name}`);
    others.push(one.userId);
    await one.register({ client: MARK });
    await upload(one, '/user_uploads', `${MARK}-${name}.txt`, Buffer.from('Alas'));
  }
  for (const name of ['verona', 'padua', 'mantua']) {
    const about = { name: `${MARK}-${name}`, subscribers: [owner.userId] };
    await owner.ok('POST', '/channels/create', about);
    const description = `${MARK} people`;
    await owner.ok('POST', '/user_groups/create', {
      ...{ name: `${MARK}-${name}s`, description, members: [] },
    });
    await owner.ok('POST', '/invites/multiuse', {});
  }
  return {
    server,
    reader: { email: OWNER_EMAIL, password: OWNER_PASSWORD },
    place: { area: '.console', home: '/console#/overview', elsewhere: '#/trouble' },
    ground: {
      begins: VIEWS.map((view) => `/console#/${view}`),
      alike: [],
      // Whoever ends their own login gets the form to log in.
      expects: /UNAUTHORIZED/,
      restore: async () => {
        const again = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
        const open = {
          emails_restricted_to_domains: false,
          disallow_disposable_email_addresses: false,
        };
        const able = { can_invite_users_group: { new: inviters } };
        await again.ok('PATCH', '/realm', { ...open, ...able });
        for (const id of others) await again.call('PATCH', `/users/${id}`, { role: MEMBER });
      },
      mends: (address) => address === '/console#/settings',
      changes: (kind, address) => address === '/console#/people' && kind.includes('| select'),
    },
    least: 100,
  };
}

async function onPages(t: Test, _who: keyof Scene['readers'], language: string): Promise<Pressed> {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { invite_link } = await owner.ok('POST', '/invites/multiuse', {});
  const links: string[] = [];
  for (const name of ['hamlet', 'osric', 'yorick']) {
    const { userId, email } = await owner.createUser(`${MARK}${name}`);
    const one = await ApiClient.login(server.url, email, passwordOf(`${MARK}${name}`));
    await one.ok('PATCH', '/settings', { default_language: language });
    const path = `/realm/console/users/${userId}/password_reset`;
    const { reset_link } = await owner.ok('POST', path);
    links.push(new URL(String(reset_link)).pathname);
  }
  await owner.ok('PATCH', '/realm', { invite_required: false });
  const join = new URL(String(invite_link)).pathname;
  return {
    server,
    reader: { email: `${MARK}hamlet@example.org`, password: passwordOf(`${MARK}hamlet`) },
    place: {
      area: 'body.page main, #visitor:not([hidden]) main, .swagger-ui .info',
      ...{ home: '/login/', elsewhere: '', isForVisitors: true },
    },
    ground: {
      begins: [
        ...['/login/', '/register/', join, '/accounts/password/reset/', '/nowhere/', '/docs'],
        links[0]!,
      ],
      alike: links,
      goesOneWay: true,
      restore: () => Promise.resolve(),
      changes: () => false,
    },
    least: 20,
  };
}
