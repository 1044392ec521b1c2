/** The commands about which organizations a data folder has. */
import { admin } from './admin-specs.js';
import type { Spec } from './spec.js';

export const ORGANIZATIONS_SPECS: readonly Spec[] = [
  organizations(
    'create',
    ['NAME'],
    'create an organization beside the main one; shows the password of its owner once',
    {
      '--address <HOST>': 'host name by which its clients reach it',
      '--owner-email <EMAIL>': 'address of its owner',
      '--name <NAME>': 'the name that people see (default: NAME)',
    },
  ),
  organizations(
    'adopt',
    ['NAME'],
    'serve the organization that lies in the folder organizations/NAME: from a backup, or where the catalogue was lost',
    { '--address <HOST>': 'host name by which its clients reach it' },
  ),
  organizations('list', [], 'list the organizations of the data folder'),
  organizations('show', ['NAME'], 'show an organization of the list'),
  organizations('address', ['NAME', 'HOST'], 'change the host name of an organization'),
  organizations('deactivate', ['NAME'], 'serve an organization no more; nothing is deleted'),
  organizations('reactivate', ['NAME'], 'serve an organization again'),
  organizations(
    'reload',
    ['NAME'],
    'serve an organization with what its settings.yaml says now; its people reconnect',
  ),
  organizations('wake', ['NAME'], 'load an organization into the memory of the server', {
    '--warm': 'and keep it there, until organizations sleep',
  }),
  organizations('sleep', ['NAME'], 'take an organization that nobody uses out of memory'),
  organizations(
    'delete',
    ['NAME'],
    'delete a deactivated organization with everything it has, in a week; until then reactivate it to keep it',
    {
      '--after <DAYS>': 'days until then, up to 365 (default: 7); 0: at once',
      '--yes': 'confirm: it cannot be undone afterwards',
    },
  ),
];

/** @param names what its arguments are */
function organizations(
  name: string,
  names: readonly string[],
  summary: string,
  flags: Readonly<Record<string, string>> = {},
): Spec {
  const { command, ...spec } = admin(`organizations ${name}`, names, summary, flags);
  return {
    ...spec,
    ofOne: false,
    command: (given) => {
      const asked = command(given);
      if (asked.kind !== 'admin') throw new Error(`Not of the admin socket: ${asked.kind}`);
      return { ...asked, kind: 'organizations' };
    },
  };
}
