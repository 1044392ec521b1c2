import { setTimeout as pause } from 'node:timers/promises';
import {
  ACCOUNTS,
  ADMINISTRATORS,
  ANYONE,
  HUMAN_ADMINISTRATORS,
  refused,
  type Matrix,
} from './roles.js';
import { sendPicture } from './picture.js';

const calls = (provider: string, msg: string) => [
  { who: ACCOUNTS, given: () => ({ provider }), meets: refused(msg) },
];

/** endpoints-organization.md#not-offered: what is only named there. */
export const UNOFFERED: Matrix = {
  'drop-queue': [
    {
      who: HUMAN_ADMINISTRATORS,
      given: async (_world, caller) => {
        const { queue_id } = await caller.register({ event_types: ['realm'] });
        return { queue_id };
      },
    },
  ],
  'export-realm': [
    {
      who: ADMINISTRATORS,
      // One at a time.
      given: async ({ owner }) => {
        for (;;) {
          const { exports } = await owner.ok('GET', '/export/realm');
          if (!(exports as { pending: boolean }[]).some(({ pending }) => pending)) return {};
          await pause(10);
        }
      },
    },
  ],
  'delete-realm-export': [
    {
      who: ADMINISTRATORS,
      given: () => ({ export_id: 999 }),
      meets: refused('Invalid data export ID'),
    },
  ],
  'get-export-file': [
    {
      who: ANYONE,
      given: () => ({ token: 'x', filename: 'parley-export-1.jsonl.gz' }),
      meets: refused('File not found.', 'BAD_REQUEST', 404),
    },
  ],
  'create-video-call': calls('zoom', 'Zoom is not configured.'),
  'get-video-call': calls('bigbluebutton', 'BigBlueButton is not configured.'),
  'get-thumbnail-status': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => {
        const { uri } = await sendPicture(caller, '/user_uploads');
        const [, realm_id, ...rest] = String(uri).slice(1).split('/');
        return { realm_id: Number(realm_id), file_path: rest.join('/') };
      },
    },
  ],
  'check-subdomain': [
    {
      who: ACCOUNTS,
      given: () => ({ subdomain: 'other' }),
      meets: refused('Subdomain is not available: this server has one organization.'),
    },
  ],
};
