/** Fills an empty store with an organization that Zulip exported (`manage.py export`). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { createReadStream, readdir } from '../../../platform/files.js';
import type { ImportJob, Taken } from '../import-job.js';
import { ImportTarget } from '../import-target.js';
import { assertPlain } from '../plain-files.js';
import { buildPeople } from './people.js';
import { takeReactions, takeReadState } from './after-messages.js';
import { takeFiles } from './files.js';
import { ZulipMessages } from './messages.js';
import { takeAvatars, takeEmojiPictures, takeRealmImages } from './pictures.js';
import { integer, RealmFile } from './realm-file.js';
import { takeScheduled } from './scheduled.js';
import { MESSAGES, noteLeftovers } from './zulip-leftovers.js';

/** @returns what was taken */
export async function importZulip(job: ImportJob): Promise<Taken> {
  const { folder, omissions, markdown, report } = job;
  // Without it, no file would be taken: that is to be heard at once.
  await assertPlain(join(folder, 'attachment.json'));
  const file = await RealmFile.read(folder);
  const archive = `zulip:${await digest(file.path)}`;
  const target = await ImportTarget.open({ ...job, archive });
  if (target.filesDone < 0) {
    omissions.record();
    const emoji = await takeEmojiPictures(job, file);
    await target.found((tx) => buildPeople(tx, file, emoji, markdown, omissions));
  } else report(`Continues after ${target.filesDone} files of messages`);
  await takeRealmImages(job, target, file);
  const avatars = await takeAvatars(job, target, file);
  // Before the messages, which show pictures that they link.
  const files = await takeFiles(job, target);
  const messages = new ZulipMessages(target, file, markdown, omissions);
  await messages.take(folder, (done, of) => {
    if (done % 100 === 0 || done === of) report(`${done} of ${of} files of messages`);
  });
  const parts = { ...job, target };
  // Converters of other services write reactions beside the messages.
  const names = (await readdir(folder)).filter((name) => MESSAGES.test(name));
  const places = [file.path, ...names.map((name) => join(folder, name))];
  const reactions = await takeReactions(parts, places);
  await takeReadState(parts, messages, idlePeople(file));
  const { org } = target;
  const newest = messages.newestId;
  await target.write(
    target.transact(() => {
      org.counters.skip('message', newest);
      org.counters.skip('submessage', messages.newestSubmessage);
    }),
  );
  await takeScheduled(job, target, file, messages);
  await noteLeftovers(folder, omissions);
  await target.finish(newest + 1);
  const people = [...org.users.values()].filter((user) => !user.is_system_bot).length;
  return {
    accounts: people,
    channels: org.channels.size,
    subscriptions: org.subscriptions.size,
    messages: messages.count,
    ...{ reactions, files },
    'custom emoji': org.customEmoji.size,
    'pictures of people': avatars,
  };
}

/** People who have not come for long: a server does not note what messages they get. */
function idlePeople(file: RealmFile): Set<number> {
  const rows = file.rows('zerver_userprofile').filter((row) => row['long_term_idle'] === true);
  return new Set(rows.map((row) => integer(row, 'id')));
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex').slice(0, 32);
}
