/** Custom emoji of an archive with rooms, under names that are allowed here. */
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';
import { MAX_CUSTOM_EMOJI } from '../../../../schemas/limits.js';
import { checkEmojiName } from '../../../organization/realm/custom-emoji.js';
import { addEmoji, ArchivePictures } from '../stored-files.js';
import { type ImportJob, refusalOf } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import type { ArchivedEmoji } from './room-archive.js';

/** Finds custom emoji by their names there. */
export class RoomEmoji {
  /** Names here by names there. */
  private readonly names = new Map<string, string>();

  private constructor(private readonly target: ImportTarget) {}

  /** Stores the pictures, and adds the emoji that are not there yet. @param used gets the places of the files */
  static async take(
    job: ImportJob,
    target: ImportTarget,
    list: readonly ArchivedEmoji[],
    used: Set<string>,
  ): Promise<RoomEmoji> {
    const emoji = new RoomEmoji(target);
    const pictures = new ArchivePictures(job);
    const { org } = target;
    const taken = new Set<string>();
    for (const { name: there, place } of list) {
      used.add(place);
      const name = there.toLowerCase();
      const isThere = org.customEmoji.active(name) !== undefined;
      const fault = isThere ? null : faultOf(name, org.customEmoji.size);
      if (fault !== null || taken.has(name)) {
        const why = fault ?? 'another has this name';
        job.omissions.add('custom emoji that are refused here', `${there}: ${why}`);
        continue;
      }
      taken.add(name);
      if (!isThere) await addEmoji(target, pictures, name, place);
      if (org.customEmoji.active(name)) emoji.names.set(there, name);
    }
    return emoji;
  }

  find(there: string): CustomEmojiDocument | undefined {
    const name = this.names.get(there);
    return name === undefined ? undefined : this.target.org.customEmoji.active(name);
  }
}

function faultOf(name: string, count: number): string | null {
  if (count >= MAX_CUSTOM_EMOJI) return 'there are too many';
  return refusalOf(() => checkEmojiName(name));
}
