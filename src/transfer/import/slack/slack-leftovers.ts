/** What of a Slack export nothing took: whatever it holds is missing here, so the operator must hear of it. */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { readdirSync } from '../../../platform/files.js';
import type { Omissions } from '../import-job.js';
import { isLitter } from '../leftovers.js';
import { EMOJI_FOLDERS, EMOJI_LIST, isEmojiPicture } from './slack-emoji-files.js';
import { DAY } from './slack-files.js';
import type { SlackPeople } from './slack-people.js';

/** The lists that the import reads. */
const READ = new Set([
  'users.json',
  'channels.json',
  'groups.json',
  'dms.json',
  'mpims.json',
  EMOJI_LIST,
]);

/** What Slack writes beside messages, and nothing here corresponds to. */
const FOREIGN = new Set([
  'canvas_in_the_conversation.json',
  'canvases.json',
  'file_conversations.json',
  'huddle_transcripts.json',
  'integration_logs.json',
  'lists.json',
  'org_users.json',
]);

const FOLDERS = 'folders that no conversation of the lists is named by: their messages are missing';
const FILES = 'files that are unknown to the import';
const ABOUT_ELSE = 'files about what is not here, such as canvases and integrations';
const UPLOADS = 'uploaded files that no message has';
const BESIDE = 'files beside another one of the same id';
const AVATARS = 'pictures of people who are not in users.json';

/** @param hasFile whether a message has an uploaded file, by its id */
export function noteLeftovers(
  folder: string,
  people: SlackPeople,
  hasFile: (id: string) => boolean,
  omissions: Omissions,
): void {
  const conversations = new Set(people.conversations.map((one) => one.folder));
  const within = (parent: string, isTaken: (name: string) => boolean, what: string): void => {
    for (const { name } of entriesOf(join(folder, parent))) {
      if (!isTaken(name)) noteFile(`${parent}/${name}`, name, what, omissions);
    }
  };
  for (const entry of entriesOf(folder)) {
    const { name } = entry;
    if (!entry.isDirectory()) {
      if (!READ.has(name)) noteFile(name, name, FILES, omissions);
    } else if (EMOJI_FOLDERS.includes(name)) within(name, isEmojiPicture, FILES);
    else if (name === '__uploads') {
      within(name, hasFile, UPLOADS);
      noteBeside(folder, name, omissions);
    } else if (name === '__avatars') {
      within(name, (id) => people.userIds.has(id), AVATARS);
      noteBeside(folder, name, omissions);
    } else if (conversations.has(name)) within(name, (file) => DAY.test(file), FILES);
    else omissions.miss(FOLDERS, name);
  }
}

/** Of the files of an id the first is taken. */
function noteBeside(folder: string, kind: string, omissions: Omissions): void {
  for (const id of entriesOf(join(folder, kind))) {
    if (!id.isDirectory()) continue;
    for (const { name } of entriesOf(join(folder, kind, id.name)).slice(1)) {
      omissions.miss(BESIDE, `${kind}/${id.name}/${name}`);
    }
  }
}

function noteFile(path: string, name: string, what: string, omissions: Omissions): void {
  if (FOREIGN.has(name)) omissions.add(ABOUT_ELSE, path);
  else omissions.miss(what, path);
}

/** What is in a folder, without what file managers leave behind; in the order of names. */
function entriesOf(folder: string): Dirent[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter(({ name }) => !isLitter(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
}
