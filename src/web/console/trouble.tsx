import type { Troubles } from '../../client/index.js';
import { Table } from './table.js';
import { durationOf, say, timeOf, written } from './text.js';

/** What went wrong since the processes began, the newest first. */
export function Trouble({ troubles }: { troubles: Troubles | undefined }) {
  if (!troubles) return <p class="empty">{say('list.asking')}</p>;
  const { refusals, slow, failures, mails_waiting: mails, pushes_waiting: pushes } = troubles;
  const user = ({ user_id: id }: { user_id: number | null }): string | number => id ?? '–';
  return (
    <section class="trouble" aria-labelledby="trouble-title">
      <h2 id="trouble-title">{say('trouble.title')}</h2>
      <p>
        {mails > 0
          ? say('trouble.wait-since', {
              ...{ mails, pushes },
              duration: durationOf(troubles.oldest_mail_seconds),
            })
          : say('trouble.wait', { mails, pushes })}
      </p>
      <h3>{say('trouble.refused-by')}</h3>
      <Table
        label={say('trouble.refused')}
        rows={refusals}
        keyOf={(_row, index) => index}
        empty={say('list.none')}
        columns={[
          { title: say('column.times'), isNumber: true, of: ({ count }) => written(count) },
          { title: say('trouble.status'), isNumber: true, of: ({ status }) => status },
          { title: say('trouble.code'), of: ({ code }) => code },
          { title: say('column.user'), of: user },
          { title: say('column.address'), of: ({ address }) => address },
          { title: say('column.operation'), of: ({ endpoint }) => endpoint },
          { title: say('column.last'), of: ({ last_at: at }) => timeOf(at) },
          { title: say('column.node'), of: ({ node_id: id }) => id },
        ]}
      />
      <h3>{say('trouble.slow')}</h3>
      <Table
        label={say('trouble.slow')}
        rows={slow}
        keyOf={(_row, index) => index}
        empty={say('list.none')}
        columns={[
          { title: say('column.at'), of: ({ at }) => timeOf(at) },
          { title: say('column.operation'), of: ({ endpoint }) => endpoint },
          { title: say('column.user'), of: user },
          { title: say('trouble.took'), isNumber: true, of: ({ took_ms: ms }) => ms },
          { title: say('trouble.received'), isNumber: true, of: ({ received_ms: ms }) => ms },
          { title: say('trouble.handled'), isNumber: true, of: ({ handled_ms: ms }) => ms },
          { title: say('trouble.replied'), isNumber: true, of: ({ replied_ms: ms }) => ms },
          { title: say('column.node'), of: ({ node_id: id }) => id },
        ]}
      />
      <h3>{say('trouble.failed')}</h3>
      <Table
        label={say('trouble.failures')}
        rows={failures}
        keyOf={(_row, index) => index}
        empty={say('list.none')}
        columns={[
          { title: say('column.times'), isNumber: true, of: ({ count }) => written(count) },
          { title: say('column.what'), of: ({ kind }) => kind },
          { title: say('column.why'), of: ({ reason }) => reason },
          { title: say('column.last'), of: ({ last_at: at }) => timeOf(at) },
          { title: say('column.node'), of: ({ node_id: id }) => id },
        ]}
      />
    </section>
  );
}
