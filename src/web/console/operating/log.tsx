import type { Reply } from '../../../client/index.js';
import { Filter } from '../filter.js';
import type { Wants } from '../live.js';
import { Table } from '../table.js';
import { momentOf, say } from '../text.js';

type Level = NonNullable<Wants['log_level']>;

const LEVELS: readonly Level[] = ['debug', 'info', 'warn', 'error'];

interface Props {
  readonly log: Reply<'GET /realm/console'>['log'];
  readonly wants: Wants;
  readonly want: (more: Wants) => void;
}

/** The newest lines of the logs of all processes, without secrets. */
export function Log({ log, wants, want }: Props) {
  const { log_level: level = 'info', log_filter: filter = '' } = wants;
  return (
    <section aria-labelledby="log-title">
      <h2 id="log-title">{say('log.title')}</h2>
      <p>
        <label for="log-level">{say('log.show')}</label>{' '}
        <select
          id="log-level"
          onChange={({ currentTarget: { value } }) => want({ log_level: value as Level })}
        >
          {LEVELS.map((value) => (
            <option key={value} value={value} selected={value === level}>
              {say(`log.${value}`)}
            </option>
          ))}
        </select>
      </p>
      <Filter
        id="log-filter"
        label={say('log.filter')}
        value={filter}
        onFilter={(value) => want({ log_filter: value.slice(0, 60) })}
      />
      <Table
        label={say('log.list')}
        rows={log ?? []}
        keyOf={({ at, node_id: id }, index) => `${at} ${id} ${index}`}
        empty={say(log ? 'log.none' : 'list.asking')}
        columns={[
          { title: say('column.at'), of: ({ at }) => momentOf(at) },
          { title: say('log.level'), of: ({ level: one }) => one },
          { title: say('column.what'), isLong: true, of: ({ message }) => message },
          { title: say('log.details'), isLong: true, of: ({ details }) => wordsOf(details) },
          { title: say('column.node'), of: ({ node_id: id }) => id },
        ]}
      />
    </section>
  );
}

/** `mail 4, attempts 1`; of an error what it says. */
function wordsOf(details: string): string {
  try {
    const fields = JSON.parse(details || '{}') as Record<string, unknown>;
    return Object.entries(fields)
      .map(([name, value]) => (name === 'err' ? reasonOf(value) : `${name} ${textOf(value)}`))
      .join(', ');
  } catch {
    // It was cut.
    return details;
  }
}

function reasonOf(error: unknown): string {
  return textOf((error as { message?: unknown } | null)?.message ?? error);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
