import type { Client, Reply } from '../../client/index.js';
import { Backups } from './operating/backups.js';
import { Bundle } from './operating/bundle.js';
import { Table } from './table.js';

type Shown = NonNullable<Reply<'GET /realm/console'>['operation']>;

interface Props {
  readonly client: Client;
  readonly operation: Shown | undefined;
}

/** Version, backups and options of the node that leads. */
export function Operation({ client, operation }: Props) {
  if (!operation) return <p class="empty">Asking …</p>;
  const { software_version: version, options, backups } = operation;
  return (
    <section aria-labelledby="operation-title">
      <h2 id="operation-title">Operation</h2>
      <p>Parley {version}</p>
      <h3>Backups</h3>
      <Backups {...{ client, backups }} />
      <h3>Support</h3>
      <Bundle client={client} />
      <h3>Options</h3>
      <Table
        label="Options of the server"
        rows={options}
        keyOf={({ option }) => option}
        empty="None."
        columns={[
          { title: 'Option', of: ({ option }) => option },
          { title: 'Value', isLong: true, of: ({ value }) => value || '–' },
          { title: 'From', of: ({ source }) => source },
        ]}
      />
    </section>
  );
}
