import type { Reply } from '../../client/index.js';
import { Table } from './table.js';

type Shown = NonNullable<Reply<'GET /realm/console'>['operation']>;

/** A backup is made each day; the second failed, too, where the newest is older. Milliseconds. */
const OLD_BACKUP_MS = 2 * 86_400_000;

/** Version, backups and options of the node that leads. */
export function Operation({ operation }: { operation: Shown | undefined }) {
  if (!operation) return <p class="empty">Asking …</p>;
  const { software_version: version, options, backups } = operation;
  return (
    <section aria-labelledby="operation-title">
      <h2 id="operation-title">Operation</h2>
      <p>Parley {version}</p>
      <h3>Backups</h3>
      <Backups backups={backups} />
      <h3>Options</h3>
      <Table
        label="Options of the server"
        rows={options}
        keyOf={({ option }) => option}
        empty="None."
        columns={[
          { title: 'Option', of: ({ option }) => option },
          { title: 'Value', of: ({ value }) => value || '–' },
          { title: 'From', of: ({ source }) => source },
        ]}
      />
    </section>
  );
}

function Backups({ backups }: { backups: Shown['backups'] }) {
  if (!backups) {
    return (
      <p role="alert">
        No folder for backups is known here: start the server with --backup-to FOLDER, and it makes
        one each day.
      </p>
    );
  }
  const { folder, time_of_day: time, keep, newest_at: newest } = backups;
  const isOld = newest === null || Date.now() - newest > OLD_BACKUP_MS;
  const made =
    newest === null
      ? 'There is no backup yet'
      : `The newest is of ${new Date(newest).toLocaleString()}`;
  return (
    <>
      <p role={isOld ? 'alert' : undefined}>
        {made}, in {folder}.
      </p>
      <p>
        {time === null
          ? 'The operator makes them; the server watches their age.'
          : `The server makes one each day at ${time}, and keeps ${keep}.`}
      </p>
    </>
  );
}
