/** Fills an empty store with what an archive with rooms has, whichever service wrote it. */
import type { Write } from '../../../store/port.js';
import { changeRealmImage } from '../../../organization/realm/realm-images.js';
import type { ImportJob, Taken } from '../import-job.js';
import { ImportTarget } from '../import-target.js';
import { ArchivePictures, giveAvatar } from '../stored-files.js';
import type { RoomArchive } from './room-archive.js';
import { RoomEmoji } from './room-emoji.js';
import { RoomMessages } from './room-messages.js';
import { RoomPeople } from './room-people.js';

/** Messages that are written together, after which an import that was cut off goes on. */
const TOGETHER = 2000;

/** Parts between two lines for the operator: some ten seconds of work. */
const TOLD_EACH = 25;

/** Closes the archive, too. @param name of the organization @returns what was taken */
export async function importRooms(
  job: ImportJob,
  archive: RoomArchive,
  name: string,
): Promise<Taken> {
  try {
    return await take(job, archive, name);
  } finally {
    await archive.close();
  }
}

async function take(job: ImportJob, archive: RoomArchive, name: string): Promise<Taken> {
  const { omissions, markdown, report } = job;
  const people = new RoomPeople(archive);
  const target = await ImportTarget.open({ ...job, archive: archive.digest });
  if (target.filesDone < 0) {
    await target.found((tx) => people.build(tx, name, markdown, omissions));
  } else report(`Continues after ${target.filesDone} parts of ${TOGETHER} messages`);
  // What the archive has as files is beside the lists, or was taken out of them.
  const files: ImportJob = { ...job, folder: archive.filesFolder };
  const used = new Set<string>();
  const emoji = await RoomEmoji.take(files, target, archive.emoji, used);
  const avatars = await takePictures(files, target, archive, people, used);
  const messages = new RoomMessages(files, target, archive, people, emoji, used);
  const parts = Math.ceil(archive.messageCount / TOGETHER);
  const { filesDone } = target;
  for (let part = 0; part < parts; part++) {
    const writes: Write[] | null = part < filesDone ? null : [];
    const end = Math.min(archive.messageCount, (part + 1) * TOGETHER);
    for (let at = part * TOGETHER; at < end; at++) await messages.take(at, writes);
    if (writes) await target.write([...writes, ...messages.linked()], part + 1);
    if ((part + 1) % TOLD_EACH === 0 || part + 1 === parts) {
      report(`${end} of ${archive.messageCount} messages`);
    }
  }
  await messages.writeReadState();
  await archive.noteLeftovers(used);
  const { org } = target;
  const groups = [...org.groups.values()].filter((one) => !one.is_system_group).length;
  const { count, reactions } = messages;
  return target.finishNumbered({
    people: { accounts: people.users.size, groups },
    messages: count,
    reactions,
    files: org.attachments.size,
    avatars,
  });
}

/** The pictures of people and of the organization. @returns how many of people there are */
async function takePictures(
  job: ImportJob,
  target: ImportTarget,
  { people, icon }: RoomArchive,
  { users }: RoomPeople,
  used: Set<string>,
): Promise<number> {
  const pictures = new ArchivePictures(job);
  let count = 0;
  if (icon !== '') {
    used.add(icon);
    const has = target.org.realm.current.icon_file !== undefined;
    const file = has ? null : await pictures.realmImage(icon, 'icon');
    if (file !== null) {
      await target.write(
        target.transact((tx) => changeRealmImage(tx, 'icon', file, () => undefined)),
      );
    }
  }
  for (const { key, picture } of people) {
    if (picture === '') continue;
    used.add(picture);
    const user = target.org.users.get(users.get(key)!)!;
    if (await giveAvatar(target, pictures, user, { place: picture, owner: key })) count += 1;
  }
  return count;
}
