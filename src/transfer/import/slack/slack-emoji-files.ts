/**
 * Custom emoji of a Slack workspace, which its own export leaves out: tools that fetch them write a picture for each
 * name into `__emoji` or `emojis`, and the list that Slack gives (names, with addresses or `alias:NAME`) as `emoji.json`.
 */
import { existsSync, readdirSync, readFile } from '../../../platform/files.js';
import { join } from 'node:path';
import { MAX_CUSTOM_EMOJI } from '../../../../schemas/limits.js';
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';
import { checkEmojiName } from '../../../organization/realm/custom-emoji.js';
import { decode } from '../../../services/text/decode.js';
import { ArchiveError } from '../archive.js';
import { isLitter } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { addEmoji, ArchivePictures } from '../stored-files.js';
import { type ImportJob, refusalOf } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';

/** Folders of pictures. */
export const EMOJI_FOLDERS = ['__emoji', 'emojis'];
/** Names with addresses. */
export const EMOJI_LIST = 'emoji.json';

const ALIAS = /^alias:(.+)$/;

/** Custom emoji by their names there. */
export class SlackEmoji {
  private readonly aliases = new Map<string, string>();

  private constructor(private readonly target: ImportTarget) {}

  /** Stores the pictures, and adds the emoji that are not there yet. */
  static async take(job: ImportJob, target: ImportTarget): Promise<SlackEmoji> {
    const emoji = new SlackEmoji(target);
    const listed = await emoji.readList(job);
    const places = placesIn(job.folder);
    const pictures = new ArchivePictures(job);
    const { org } = target;
    for (const [name, place] of places) {
      if (org.customEmoji.active(name)) continue;
      if (org.customEmoji.size >= MAX_CUSTOM_EMOJI) {
        job.omissions.add(`custom emoji above ${MAX_CUSTOM_EMOJI}`, name);
        continue;
      }
      const fault = refusalOf(() => checkEmojiName(name));
      if (fault !== null)
        job.omissions.add('custom emoji that are refused here', `${name}: ${fault}`);
      else await addEmoji(target, pictures, name, place);
    }
    for (const name of listed) {
      if (!places.has(name)) job.omissions.add('custom emoji, which Slack keeps', name);
    }
    return emoji;
  }

  /** The emoji of a name there, or of what the name is an alias of. */
  find(name: string): CustomEmojiDocument | undefined {
    const { customEmoji } = this.target.org;
    return customEmoji.active(name) ?? customEmoji.active(this.aliases.get(name) ?? '');
  }

  /** @returns names that have a picture of their own */
  private async readList({ folder }: ImportJob): Promise<string[]> {
    const path = join(folder, EMOJI_LIST);
    if (!(await plainFile(path))) return [];
    const whole = parsed(decode(await readFile(path)));
    // As the service answers, or the list alone.
    const list = (whole['emoji'] ?? whole) as Readonly<Record<string, unknown>>;
    const own: string[] = [];
    for (const [name, value] of Object.entries(list)) {
      const alias = typeof value === 'string' ? ALIAS.exec(value)?.[1] : undefined;
      if (alias !== undefined) this.aliases.set(name, alias);
      else if (typeof value === 'string') own.push(name);
    }
    return own;
  }
}

/** Where the pictures are, by the names of emoji. */
function placesIn(folder: string): Map<string, string> {
  const places = new Map<string, string>();
  for (const kind of EMOJI_FOLDERS) {
    if (!existsSync(join(folder, kind))) continue;
    for (const file of readdirSync(join(folder, kind)).sort()) {
      if (isLitter(file) || !PICTURE.test(file)) continue;
      places.set(file.replace(PICTURE, '').normalize(), `${kind}/${file}`);
    }
  }
  return places;
}

const PICTURE = /\.(png|gif|jpe?g|webp)$/i;

/** Whether a file in a folder of emoji is a picture. */
export function isEmojiPicture(name: string): boolean {
  return PICTURE.test(name);
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new ArchiveError(`${EMOJI_LIST} is not JSON`);
}
