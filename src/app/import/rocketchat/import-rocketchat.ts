import type { ImportJob, Taken } from '../import-job.js';
import { importRooms } from '../rooms/import-rooms.js';
import { RocketChatArchive } from './rocketchat-archive.js';

/** What the operator decides, and a folder for files that the dump has in pieces. */
interface Choices {
  readonly name: string;
  readonly scratch: string;
}

/** Fills an empty store with what mongodump wrote of a Rocket.Chat server. @returns what was taken */
export async function importRocketChat(job: ImportJob, { name, scratch }: Choices): Promise<Taken> {
  const archive = await RocketChatArchive.read(job, scratch);
  try {
    return await importRooms(job, archive, name);
  } finally {
    await archive.close();
  }
}
