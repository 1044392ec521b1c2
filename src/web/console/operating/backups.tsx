import type { Client, Reply } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { durationOf, momentOf, sizeOf } from '../text.js';

type Shown = NonNullable<Reply<'GET /realm/console'>['operation']>['backups'];

/** A backup is made each day; the second failed, too, where the newest is older. Milliseconds. */
const OLD_BACKUP_MS = 2 * 86_400_000;

/** The age of the newest backup, the schedule, and all that there are. */
export function Backups({ client, backups }: { client: Client; backups: Shown }) {
  const deed = useDeed(() => undefined);
  if (!backups) {
    return (
      <p role="alert">
        No folder for backups is known here: start the server with --backup-to FOLDER, and it makes
        one each day.
      </p>
    );
  }
  const { folder, time_of_day: time, keep, newest_at: newest } = backups;
  const age = newest === null ? null : Date.now() - newest;
  const made =
    age === null
      ? 'There is no backup yet'
      : `The newest is ${durationOf(Math.max(0, age) / 1000)} old`;
  const download = (backup: string): void =>
    deed.run(async () => {
      const { backup_url } = await client.call('POST /realm/console/backups/link', { backup });
      location.assign(backup_url);
      return `${backup} is on its way.`;
    });
  return (
    <>
      <p role={age === null || age > OLD_BACKUP_MS ? 'alert' : undefined}>
        {made}, in {folder}.
      </p>
      <p>
        {time === null
          ? 'The operator makes them; the server watches their age.'
          : `The server makes one each day at ${time}, and keeps ${keep}.`}{' '}
        Uploaded files lie beside them, in the folder alone.
      </p>
      {backups.last_failure !== null && (
        <p role="alert">The last one failed: {backups.last_failure}</p>
      )}
      <DeedLine deed={deed} />
      <p>
        <button
          disabled={backups.is_making || deed.isBusy}
          onClick={() =>
            deed.run(() => client.call('POST /realm/console/backups', {}), 'A backup has begun.')
          }
        >
          {backups.is_making ? 'A backup is being made …' : 'Make a backup now'}
        </button>
      </p>
      <Table
        label="Backups"
        rows={backups.backups_there}
        keyOf={({ name }) => name}
        empty="None."
        columns={[
          { title: 'Made', of: ({ made_at: at }) => momentOf(at) },
          { title: 'Size', isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
          { title: 'File', of: ({ name }) => name },
          {
            title: 'Backup',
            of: ({ name }) => (
              <button class="plain" aria-label={`Download ${name}`} onClick={() => download(name)}>
                Download
              </button>
            ),
          },
        ]}
      />
    </>
  );
}
