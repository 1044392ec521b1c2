import type { ImportJob, Taken } from '../import-job.js';
import { importRooms } from '../rooms/import-rooms.js';
import { DiscordArchive } from './discord-archive.js';
import type { DiscordAccess } from './discord-rooms.js';

/** What the operator decides. */
interface Choices {
  readonly name: string;
  readonly channels: DiscordAccess;
}

/** Fills an empty store with what DiscordChatExporter wrote. @returns what was taken */
export async function importDiscord(job: ImportJob, { name, channels }: Choices): Promise<Taken> {
  const archive = await DiscordArchive.read(job, channels);
  try {
    return await importRooms(job, archive, name);
  } finally {
    await archive.close();
  }
}
