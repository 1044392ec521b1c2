import type { Client, Reply } from '../../client/index.js';
import { Backups } from './operating/backups.js';
import { Bundle } from './operating/bundle.js';
import { Table } from './table.js';
import { say } from './text.js';

type Shown = NonNullable<Reply<'GET /realm/console'>['operation']>;

interface Props {
  readonly client: Client;
  readonly operation: Shown | undefined;
}

/** Version, backups and options of the node that leads. */
export function Operation({ client, operation }: Props) {
  if (!operation) return <p class="empty">{say('list.asking')}</p>;
  const { software_version: version, options, backups } = operation;
  return (
    <section aria-labelledby="operation-title">
      <h2 id="operation-title">{say('operation.title')}</h2>
      <p>{`Parley ${version}`}</p>
      <h3>{say('operation.backups')}</h3>
      <Backups {...{ client, backups }} />
      <h3>{say('operation.support')}</h3>
      <Bundle client={client} />
      <h3>{say('operation.options')}</h3>
      <Table
        label={say('operation.list')}
        rows={options}
        keyOf={({ option }) => option}
        empty={say('list.none')}
        columns={[
          { title: say('operation.option'), of: ({ option }) => option },
          { title: say('operation.value'), isLong: true, of: ({ value }) => value || '–' },
          { title: say('column.from'), of: ({ source }) => source },
        ]}
      />
    </section>
  );
}
