import type { ApiClient, Body } from '../client.js';
import { sendPicture } from './picture.js';
import { thumbnailMade } from '../thumbnail.js';
import { ACCOUNTS, ANYONE, except, refused, type Matrix } from './roles.js';
import type { World } from './world.js';

/** endpoints-files.md#files: who can see no message that links it, but for the uploader. */
const DENIED = refused('Access denied', 'BAD_REQUEST', 403);
const OF_THE_UPLOADER = except(ACCOUNTS, {
  administrator: DENIED,
  moderator: DENIED,
  'full member': DENIED,
  'new member': DENIED,
  guest: DENIED,
  bot: DENIED,
});

/** Uploaded files (endpoints-files.md#files). */
export const FILES: Matrix = {
  'remove-attachment': [
    {
      who: ACCOUNTS,
      given: async (_world, caller) => {
        await sendPicture(caller, '/user_uploads');
        const { attachments } = await caller.ok('GET', '/attachments');
        const ids = (attachments as { id: number }[]).map((one) => one.id);
        return { attachment_id: Math.max(...ids) };
      },
    },
  ],
  'get-file-temporary-url': [
    { who: ACCOUNTS, of: 'a file in a message', given: (world) => linked(world, 'path') },
    { who: OF_THE_UPLOADER, of: 'a file of the owner', given: ({ owner }) => file(owner, 'path') },
  ],
  'get-uploaded-file': [
    { who: ACCOUNTS, of: 'a file in a message', given: (world) => linked(world, 'file_path') },
    {
      who: OF_THE_UPLOADER,
      of: 'a file of the owner',
      given: ({ owner }) => file(owner, 'file_path'),
    },
  ],
  'download-uploaded-file': [
    { who: ACCOUNTS, of: 'a file in a message', given: (world) => linked(world, 'file_path') },
    {
      who: OF_THE_UPLOADER,
      of: 'a file of the owner',
      given: ({ owner }) => file(owner, 'file_path'),
    },
  ],
  'get-thumbnail': [
    { who: ACCOUNTS, of: 'a picture in a message', given: (world) => thumbnail(world, true) },
    {
      who: OF_THE_UPLOADER,
      of: 'a picture of the owner',
      given: (world) => thumbnail(world, false),
    },
  ],
  'get-temporary-file': [
    {
      who: ANYONE,
      given: async ({ owner }) => {
        const { uri } = await sendPicture(owner, '/user_uploads');
        const { url } = await owner.ok('GET', String(uri));
        const [filename, token] = String(url).split('/').reverse();
        return { token, filename };
      },
    },
  ],
};

/** The parameters of a new file; the name of the last differs between the API and the root. */
async function file(owner: ApiClient, name: 'path' | 'file_path'): Promise<Body> {
  const { uri } = await sendPicture(owner, '/user_uploads');
  const [, , realm_id, ...path] = String(uri).split('/');
  return { realm_id, [name]: path.join('/') };
}

/** A file that a message in `general` links. */
async function linked({ owner }: World, name: 'path' | 'file_path'): Promise<Body> {
  const made = await file(owner, name);
  await owner.say(`[file](/user_uploads/${String(made.realm_id)}/${String(made[name])})`);
  return made;
}

/** The thumbnail of a new picture, when it is there. */
async function thumbnail(world: World, isLinked: boolean): Promise<Body> {
  const { realm_id, file_path } = isLinked
    ? await linked(world, 'file_path')
    : await file(world.owner, 'file_path');
  await thumbnailMade(world.owner, `${String(realm_id)}/${String(file_path)}`);
  return { realm_id, file_path: `${String(file_path)}/840x560.webp` };
}
