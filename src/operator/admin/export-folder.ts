/** Where `parley users export` puts what the server tells: a file of rows, and copies of uploaded files. */
import { join } from 'node:path';
import { closeSync, openSync, writeSync, mkdir, writeFile } from '../../platform/files.js';
import type { Config } from '../../config/config.js';
import { sanitizedName } from '../../organization/uploads/attachments.js';
import { openFiles } from '../../host/data-folder/files.js';
import { reportingLog } from '../../host/monitoring/log.js';

/** A file of the person, as a row names it. */
interface FileRow {
  readonly id: number;
  readonly name: string;
  readonly key: string;
}

/** Takes rows of an export into a new folder, for the operator's account alone. */
export class ExportFolder {
  private readonly files: FileRow[] = [];
  private readonly rows: number;

  private constructor(private readonly path: string) {
    this.rows = openSync(join(path, 'data.jsonl'), 'wx', 0o600);
  }

  /** @throws Error where there is something already */
  static async create(path: string): Promise<ExportFolder> {
    await mkdir(path, { mode: 0o700 });
    return new ExportFolder(path);
  }

  take(row: unknown): void {
    writeSync(this.rows, `${JSON.stringify(row)}\n`);
    // At most as many as one person may have.
    if ((row as { kind?: string }).kind === 'file') this.files.push(row as FileRow);
  }

  /** Copies the files. @returns names of those that are not there any more */
  async finish(config: Config, report: (line: string) => void): Promise<string[]> {
    closeSync(this.rows);
    const blobs = await openFiles(config, reportingLog(report));
    const gone: string[] = [];
    try {
      if (this.files.length > 0) await mkdir(join(this.path, 'files'), { mode: 0o700 });
      for (const { id, name, key } of this.files) {
        const data = await blobs.get(key);
        const target = join(this.path, 'files', `${id}-${sanitizedName(name)}`);
        if (data) await writeFile(target, data, { mode: 0o600 });
        else gone.push(name);
      }
    } finally {
      blobs.close();
    }
    return gone;
  }
}
