import type { Client, Reply } from '../../../client/index.js';
import { useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { durationOf, momentOf, say, sizeOf } from '../text.js';

type Shown = NonNullable<Reply<'GET /realm/console'>['operation']>['backups'];

/** A backup is made each day; the second failed, too, where the newest is older. Milliseconds. */
const OLD_BACKUP_MS = 2 * 86_400_000;

/** The age of the newest backup, the schedule, and all that there are. */
export function Backups({ client, backups }: { client: Client; backups: Shown }) {
  const deed = useDeed(() => undefined);
  if (!backups) {
    return <p role="alert">{say('backups.no-folder')}</p>;
  }
  const { folder, time_of_day: time, keep, newest_at: newest } = backups;
  const age = newest === null ? null : Date.now() - newest;
  const made =
    age === null
      ? say('backups.none-yet', { folder })
      : say('backups.newest', { age: durationOf(Math.max(0, age) / 1000), folder });
  const download = (backup: string): void =>
    deed.run(async () => {
      const { backup_url } = await client.call('POST /realm/console/backups/link', { backup });
      location.assign(backup_url);
      return say('backups.on-its-way', { name: backup });
    });
  return (
    <>
      <p role={age === null || age > OLD_BACKUP_MS ? 'alert' : undefined}>{made}</p>
      <p>
        {time === null ? say('backups.by-operator') : say('backups.by-server', { time, keep })}{' '}
        {say('backups.uploads')}
      </p>
      {backups.last_failure !== null && (
        <p role="alert">{say('backups.failed', { why: backups.last_failure })}</p>
      )}
      <DeedLine deed={deed} />
      <p>
        <button
          disabled={backups.is_making || deed.isBusy}
          onClick={() =>
            deed.run(() => client.call('POST /realm/console/backups', {}), say('backups.begun'))
          }
        >
          {say(backups.is_making ? 'backups.making' : 'backups.make')}
        </button>
      </p>
      <Table
        label={say('operation.backups')}
        rows={backups.backups_there}
        keyOf={({ name }) => name}
        empty={say('list.none')}
        columns={[
          { title: say('backups.made'), of: ({ made_at: at }) => momentOf(at) },
          { title: say('files.size'), isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
          { title: say('files.file'), of: ({ name }) => name },
          {
            title: say('backups.backup'),
            of: ({ name }) => (
              <button
                class="plain"
                aria-label={say('backups.download-one', { name })}
                onClick={() => download(name)}
              >
                {say('backups.download')}
              </button>
            ),
          },
        ]}
      />
    </>
  );
}
