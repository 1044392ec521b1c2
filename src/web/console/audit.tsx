import { useState } from 'preact/hooks';
import type { Client, Params } from '../../client/index.js';
import { useAsked } from './asked.js';
import { Table } from './table.js';
import { momentOf } from './text.js';

/** Records of one page. */
const ROWS = 100;

type Kind = NonNullable<Params<'GET /realm/audit_log'>['kind']>;

const KINDS: readonly Kind[] = [
  ...(['organization', 'default_settings', 'domain', 'linkifier', 'playground', 'emoji'] as const),
  ...(['profile_field', 'channel_folder', 'user', 'user_settings', 'bot'] as const),
  ...(['channel', 'group', 'queue', 'invitation', 'invitation_link'] as const),
  ...(['file', 'mail', 'backup', 'server'] as const),
];

const NO_FIELD = { name: '', old: null, new: null };

/** Who changed which setting, the newest first. */
export function Audit({ client }: { client: Client }) {
  const [kind, setKind] = useState<Kind | ''>('');
  const [before, setBefore] = useState<number | undefined>();
  const people = useAsked(() => client.call('GET /users', {}), [client]);
  const asked = useAsked(
    () => client.call('GET /realm/audit_log', { limit: ROWS, before, kind: kind || undefined }),
    [client, kind, before],
  );
  const names = new Map(people.value?.members.map(({ user_id: id, full_name }) => [id, full_name]));
  const { records = [], found_oldest: isWhole = true } = asked.value ?? {};
  const rows = records.flatMap((record) =>
    record.changes.flatMap((change) =>
      // What came, went or was done has no fields.
      (change.fields.length === 0 ? [NO_FIELD] : change.fields).map((field) => ({
        ...{ record, change, field },
      })),
    ),
  );
  return (
    <section aria-labelledby="audit-title">
      <h2 id="audit-title">Audit log</h2>
      <p class="filters">
        <span>
          <label for="audit-kind">Changes of</label>{' '}
          <select
            id="audit-kind"
            value={kind}
            onChange={(event) => {
              setBefore(undefined);
              setKind(event.currentTarget.value as Kind | '');
            }}
          >
            <option value="">everything</option>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </span>
        <button class="plain" disabled={before === undefined} onClick={() => setBefore(undefined)}>
          Newest
        </button>
        <button class="plain" disabled={isWhole} onClick={() => setBefore(records.at(-1)?.id)}>
          Older
        </button>
      </p>
      {asked.error && <p role="alert">{asked.error.message}</p>}
      <Table
        label="Records"
        rows={rows}
        keyOf={(_row, index) => index}
        empty={asked.value ? 'Nothing was changed.' : 'Asking …'}
        columns={[
          { title: 'At', of: ({ record }) => momentOf(record.timestamp * 1000) },
          {
            title: 'By',
            of: ({ record: { user_id: id, way } }) => (id === null ? way : (names.get(id) ?? id)),
          },
          {
            title: 'What',
            of: ({ change: { kind: what, name } }) =>
              `${what} ${what === 'server' ? name : ''}`.replaceAll('_', ' ') +
              (what === 'server' ? '' : name),
          },
          { title: 'How', of: ({ change }) => change.action },
          { title: 'Field', of: ({ field }) => field.name.replaceAll('_', ' ') },
          { title: 'Before', isLong: true, of: ({ field }) => field.old ?? '–' },
          { title: 'After', isLong: true, of: ({ field }) => field.new ?? '–' },
        ]}
      />
    </section>
  );
}
