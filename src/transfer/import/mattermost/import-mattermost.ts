/** Fills an empty store with what Mattermost exported in bulk: a file of JSON lines, and files beside it. */
import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { createReadStream } from '../../../platform/files.js';
import type { Write } from '../../../store/port.js';
import type { ImportJob, Taken } from '../import-job.js';
import { ImportTarget } from '../import-target.js';
import { noteFiles } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { ArchiveError } from '../archive.js';
import { Threads, type ThreadForm } from '../threads.js';
import { MattermostFile, PostReader } from './mattermost-file.js';
import { viewersIn } from './mattermost-memberships.js';
import { MattermostMessages } from './mattermost-messages.js';
import { MattermostPeople } from './mattermost-people.js';
import { MattermostPictures } from './mattermost-pictures.js';

/** Names that the file has, by which an export is known. */
const MATTERMOST_FILES = ['import.jsonl', 'export.jsonl', 'export.json'];

/** Messages that are written together. */
const TOGETHER = 2000;

/** Topic of what is in no thread. */
const TOPIC = 'imported from Mattermost';

/** What the operator decides. */
interface Choices {
  readonly name: string;
  readonly threads: ThreadForm;
}

/** @returns what was taken */
export async function importMattermost(job: ImportJob, { name, threads }: Choices): Promise<Taken> {
  const { folder, omissions, markdown, report } = job;
  const path = await fileOf(folder);
  const file = await MattermostFile.read(path, omissions);
  const people = new MattermostPeople(file);
  const archive = `mattermost:${threads}:${await digest(path)}`;
  const target = await ImportTarget.open({ ...job, archive });
  if (target.filesDone < 0) {
    await target.found((tx) => people.build(tx, name, markdown, omissions));
  } else report(`Continues after ${target.filesDone} parts of ${TOGETHER} messages`);
  const pictures = new MattermostPictures(job, target);
  await pictures.takeEmoji(file.rows('emoji'));
  const avatars = await pictures.takeAvatars([...file.rows('user'), ...file.rows('bot')], people);
  const messages = new MattermostMessages(
    job,
    target,
    people,
    pictures,
    new Threads(threads, TOPIC),
    viewersIn(file, people),
  );
  const reader = await PostReader.open(path);
  try {
    const parts = Math.ceil(file.posts.length / TOGETHER);
    const { filesDone } = target;
    for (let part = 0; part < parts; part++) {
      const writes: Write[] | null = part < filesDone ? null : [];
      for (const place of file.posts.slice(part * TOGETHER, (part + 1) * TOGETHER)) {
        const { post, isDirect } = await reader.read(place);
        await messages.take(post, place.reply, isDirect, writes);
      }
      if (writes) await target.write([...writes, ...messages.linked()], part + 1);
      if ((part + 1) % 50 === 0 || part + 1 === parts) report(`${part + 1} of ${parts} parts`);
    }
  } finally {
    await reader.close();
  }
  await messages.writeReadState();
  const used = new Set([...messages.places, ...pictures.places]);
  await noteFiles(
    folder,
    (place) => {
      if (used.has(place) || join(folder, place) === path) return 'taken';
      return { missing: 'files that no line names' };
    },
    omissions,
  );
  const { count, reactions } = messages;
  return target.finishNumbered({
    people: { accounts: people.users.size },
    messages: count,
    reactions,
    files: target.org.attachments.size,
    avatars,
  });
}

async function fileOf(folder: string): Promise<string> {
  for (const name of MATTERMOST_FILES) {
    if (await plainFile(join(folder, name))) return join(folder, name);
  }
  throw new ArchiveError(`There is no ${MATTERMOST_FILES.join(' or ')} in ${basename(folder)}`);
}

async function digest(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex').slice(0, 32);
}
