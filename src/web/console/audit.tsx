import { useState } from 'preact/hooks';
import type { Client, Params } from '../../client/index.js';
import { useAsked } from './asked.js';
import { Table } from './table.js';
import { momentOf, say } from './text.js';

/** Records of one page. */
const ROWS = 100;

type Kind = NonNullable<Params<'GET /realm/audit_log'>['kind']>;

const KINDS: readonly Kind[] = [
  ...(['organization', 'default_settings', 'domain', 'linkifier', 'playground', 'emoji'] as const),
  ...(['profile_field', 'channel_folder', 'user', 'user_settings', 'bot'] as const),
  ...(['channel', 'group', 'queue', 'invitation', 'invitation_link'] as const),
  ...(['message', 'file', 'export', 'mail', 'backup', 'server'] as const),
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
      <h2 id="audit-title">{say('audit.title')}</h2>
      <p class="filters">
        <span>
          <label for="audit-kind">{say('audit.of')}</label>{' '}
          <select
            id="audit-kind"
            value={kind}
            onChange={(event) => {
              setBefore(undefined);
              setKind(event.currentTarget.value as Kind | '');
            }}
          >
            <option value="">{say('audit.everything')}</option>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {one.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        </span>
        <button class="plain" disabled={before === undefined} onClick={() => setBefore(undefined)}>
          {say('audit.newest')}
        </button>
        <button class="plain" disabled={isWhole} onClick={() => setBefore(records.at(-1)?.id)}>
          {say('audit.older')}
        </button>
      </p>
      {asked.error && <p role="alert">{asked.error.message}</p>}
      <Table
        label={say('audit.list')}
        rows={rows}
        keyOf={(_row, index) => index}
        empty={say(asked.value ? 'audit.none' : 'list.asking')}
        columns={[
          { title: say('column.at'), of: ({ record }) => momentOf(record.timestamp * 1000) },
          {
            title: say('audit.by'),
            of: ({ record: { user_id: id, way } }) => (id === null ? way : (names.get(id) ?? id)),
          },
          {
            title: say('column.what'),
            of: ({ change: { kind: what, name } }) =>
              `${what} ${what === 'server' ? name : ''}`.replaceAll('_', ' ') +
              (what === 'server' ? '' : name),
          },
          { title: say('audit.how'), of: ({ change }) => change.action },
          { title: say('audit.field'), of: ({ field }) => field.name.replaceAll('_', ' ') },
          { title: say('audit.before'), isLong: true, of: ({ field }) => field.old ?? '–' },
          { title: say('audit.after'), isLong: true, of: ({ field }) => field.new ?? '–' },
        ]}
      />
    </section>
  );
}
