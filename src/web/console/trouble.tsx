import type { Troubles } from '../../client/index.js';
import { Table } from './table.js';
import { durationOf, plural, timeOf } from './text.js';

/** What went wrong since the processes began, the newest first. */
export function Trouble({ troubles }: { troubles: Troubles | undefined }) {
  if (!troubles) return <p class="empty">Asking …</p>;
  const { refusals, slow, failures, mails_waiting: mails, pushes_waiting: pushes } = troubles;
  const user = ({ user_id: id }: { user_id: number | null }): string | number => id ?? '–';
  return (
    <section class="trouble" aria-labelledby="trouble-title">
      <h2 id="trouble-title">Trouble</h2>
      <p>
        {plural(mails, 'mail')}
        {mails > 0 && `, the oldest for ${durationOf(troubles.oldest_mail_seconds)},`} and{' '}
        {plural(pushes, 'push', 'pushes')} wait to be sent.
      </p>
      <h3>Refused requests, by user or address</h3>
      <Table
        label="Refused requests"
        rows={refusals}
        keyOf={(_row, index) => index}
        empty="None."
        columns={[
          { title: 'Times', isNumber: true, of: ({ count }) => count.toLocaleString() },
          { title: 'Status', isNumber: true, of: ({ status }) => status },
          { title: 'Code', of: ({ code }) => code },
          { title: 'User', of: user },
          { title: 'Address', of: ({ address }) => address },
          { title: 'Operation', of: ({ endpoint }) => endpoint },
          { title: 'Last', of: ({ last_at: at }) => timeOf(at) },
          { title: 'Node', of: ({ node_id: id }) => id },
        ]}
      />
      <h3>Slow requests</h3>
      <Table
        label="Slow requests"
        rows={slow}
        keyOf={(_row, index) => index}
        empty="None."
        columns={[
          { title: 'At', of: ({ at }) => timeOf(at) },
          { title: 'Operation', of: ({ endpoint }) => endpoint },
          { title: 'User', of: user },
          { title: 'Took, ms', isNumber: true, of: ({ took_ms: ms }) => ms },
          { title: 'Received', isNumber: true, of: ({ received_ms: ms }) => ms },
          { title: 'Handled', isNumber: true, of: ({ handled_ms: ms }) => ms },
          { title: 'Replied', isNumber: true, of: ({ replied_ms: ms }) => ms },
          { title: 'Node', of: ({ node_id: id }) => id },
        ]}
      />
      <h3>Failed mails, pushes, webhooks and operations of the store</h3>
      <Table
        label="Failures"
        rows={failures}
        keyOf={(_row, index) => index}
        empty="None."
        columns={[
          { title: 'Times', isNumber: true, of: ({ count }) => count.toLocaleString() },
          { title: 'What', of: ({ kind }) => kind },
          { title: 'Why', of: ({ reason }) => reason },
          { title: 'Last', of: ({ last_at: at }) => timeOf(at) },
          { title: 'Node', of: ({ node_id: id }) => id },
        ]}
      />
    </section>
  );
}
