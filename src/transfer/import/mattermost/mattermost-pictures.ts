/** Custom emoji and pictures of people of a Mattermost export, and where its files are. */
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';
import { MAX_CUSTOM_EMOJI } from '../../../../schemas/limits.js';
import { checkEmojiName } from '../../../organization/realm/custom-emoji.js';
import { addEmoji, ArchivePictures, giveAvatar, MAX_FILE } from '../stored-files.js';
import { fileIn } from '../archive.js';
import { type ImportJob, refusalOf } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import type { JsonRow } from '../json-rows.js';
import { text } from './mattermost-file.js';
import type { MattermostPeople } from './mattermost-people.js';

/** Where files may be: beside the file of lines, or in the folder of files. */
const ROOTS = ['', 'data/'];

export class MattermostPictures {
  /** Files of the archive that were used. */
  readonly places = new Set<string>();

  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
  ) {}

  /** The custom emoji of a name. */
  find(name: string): CustomEmojiDocument | undefined {
    return this.target.org.customEmoji.active(name);
  }

  /** Where in the archive a file is that a line names; null where it is not. */
  async placeOf(path: string): Promise<string | null> {
    for (const root of ROOTS) {
      const place = `${root}${path}`;
      if ((await fileIn(this.job.folder, place, MAX_FILE)) === null) continue;
      this.places.add(place);
      return place;
    }
    return null;
  }

  async takeEmoji(rows: readonly JsonRow[]): Promise<void> {
    const { job, target } = this;
    const { org } = target;
    const pictures = new ArchivePictures(job);
    for (const row of rows) {
      const name = text(row, 'name');
      const place = (await this.placeOf(text(row, 'image'))) ?? text(row, 'image');
      if (org.customEmoji.active(name)) continue;
      const fault =
        org.customEmoji.size < MAX_CUSTOM_EMOJI
          ? refusalOf(() => checkEmojiName(name))
          : 'there are too many';
      if (fault !== null) {
        job.omissions.add('custom emoji that are refused here', `${name}: ${fault}`);
        continue;
      }
      await addEmoji(target, pictures, name, place);
    }
  }

  /** @returns how many there are */
  async takeAvatars(rows: readonly JsonRow[], people: MattermostPeople): Promise<number> {
    const { job, target } = this;
    const pictures = new ArchivePictures(job);
    let count = 0;
    for (const row of rows) {
      const given = text(row, 'profile_image');
      if (given === '') continue;
      const name = text(row, 'username');
      const user = target.org.users.get(people.users.get(name)!)!;
      const place = (await this.placeOf(given)) ?? given;
      if (await giveAvatar(target, pictures, user, { place, owner: name })) count += 1;
    }
    return count;
  }
}
