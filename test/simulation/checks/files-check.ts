import type { Uploader } from '../clients/uploader.js';
import type { Disk, Inode } from '../node/disk.js';
import type { World } from '../world/world.js';

/** What is removed has been by then, milliseconds: a slow disk takes up to a second for each step. */
const REMOVED_MS = 5000;

/** Looks at the folder of files itself, once everybody rests: no file is there that the server should have removed. */
export class FilesCheck {
  constructor(
    private readonly world: World,
    private readonly uploader: Uploader,
    private readonly disk: Disk,
    private readonly folder: string,
  ) {}

  /**
   * A file without an owner stays where its process ended before it removed it, or where its leader has lost the lead and
   * cannot know what became of the upload: no other does.
   */
  check(when: string): void {
    const { world, uploader } = this;
    const top = this.disk.find(this.folder);
    if (!top) return;
    for (const [path, { data }] of filesIn(top, this.folder)) {
      const name = data.toString('latin1', 0, data.indexOf(0x20));
      if (path.endsWith('.part')) continue;
      const { fate, since } = uploader.files.fateOf(name);
      world.counted(`stored files: ${fate}`);
      if (fate === 'kept') continue;
      if (world.changedAt >= since - REMOVED_MS || world.scheduler.now < since + REMOVED_MS) {
        continue;
      }
      world.fault(`${when}: ${path} is there, and ${name} was ${fate}`);
    }
  }
}

function* filesIn(node: Inode, path: string): Generator<[path: string, file: Inode]> {
  if (!node.isFolder) yield [path, node];
  for (const [name, child] of node.names) yield* filesIn(child, `${path}/${name}`);
}
