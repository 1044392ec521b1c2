import { useState } from 'preact/hooks';
import type { Client, Reply } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { momentOf, say, written } from '../text.js';

type Tried = Reply<'POST /realm/console/services/try'>['services'];

/** Operations that are logins: their refusals are failed attempts. */
const LOGINS = ['log-in', 'fetch-api-key', 'log-in-by-token', 'fetch-api-key-by-token'];

/** By what people log in, what failed lately, and a trial of the services. */
export function Logins({ client }: { client: Client }) {
  const asked = useAsked(
    () => client.call('GET /realm/console', { with_logins: true, with_troubles: true }),
    [client],
  );
  const [tried, setTried] = useState<Tried | null>(null);
  const deed = useDeed(asked.reload);
  const { logins, troubles } = asked.value ?? {};
  const failures = troubles?.failures.filter(({ kind }) => kind.startsWith('login: ')) ?? [];
  const refused = troubles?.refusals.filter(({ endpoint }) => LOGINS.includes(endpoint)) ?? [];
  const test = (): void =>
    deed.run(async () => {
      const { services } = await client.call('POST /realm/console/services/try', {});
      setTried(services);
      return say(services.length === 0 ? 'logins.nothing-to-try' : 'logins.tried');
    });
  return (
    <section aria-labelledby="logins-title">
      <h2 id="logins-title">{say('logins.title')}</h2>
      <DeedLine deed={deed} asked={asked} />
      {logins && (
        <p>
          {say('logins.count', {
            count: logins.active_people,
            passwords: logins.people_with_password,
            factors: logins.people_with_two_factor,
          })}
        </p>
      )}
      <Table
        label={say('logins.methods')}
        rows={logins?.login_methods ?? []}
        keyOf={({ login_method: name }) => name}
        empty={say('list.asking')}
        columns={[
          {
            title: say('logins.method'),
            of: ({ login_method: name }) =>
              name === 'OpenID Connect' && logins!.login_services.length > 0
                ? `${name}: ${logins!.login_services.join(', ')}`
                : name,
          },
          {
            title: say('logins.configured'),
            of: ({ is_available: is }) => say(is ? 'logins.yes' : 'logins.not-configured'),
          },
          {
            title: say('logins.allowed'),
            of: ({ is_enabled: is }) => say(is ? 'logins.yes' : 'logins.not-allowed'),
          },
        ]}
      />
      <h3>{say('logins.services')}</h3>
      <p>
        <button disabled={deed.isBusy} onClick={test}>
          {say('logins.try')}
        </button>
      </p>
      {tried && tried.length > 0 && (
        <Table
          label={say('logins.tried-list')}
          rows={tried}
          keyOf={({ service }) => service}
          empty=""
          columns={[
            { title: say('column.service'), of: ({ service }) => service },
            {
              title: say('logins.answers'),
              isLong: true,
              of: ({ fault }) => fault ?? say('logins.yes'),
            },
          ]}
        />
      )}
      <h3>{say('logins.failures')}</h3>
      <Table
        label={say('logins.failures')}
        rows={failures}
        keyOf={(_row, index) => index}
        empty={say(troubles ? 'list.none' : 'list.asking')}
        columns={[
          { title: say('column.service'), of: ({ kind }) => kind.replace('login: ', '') },
          { title: say('column.why'), isLong: true, of: ({ reason }) => reason },
          { title: say('column.times'), isNumber: true, of: ({ count }) => written(count) },
          { title: say('column.last'), of: ({ last_at: at }) => momentOf(at) },
        ]}
      />
      <h3>{say('logins.refused')}</h3>
      <Table
        label={say('logins.refused')}
        rows={refused}
        keyOf={(_row, index) => index}
        empty={say(troubles ? 'list.none' : 'list.asking')}
        columns={[
          { title: say('column.times'), isNumber: true, of: ({ count }) => written(count) },
          { title: say('column.why'), of: ({ code }) => code.replaceAll('_', ' ').toLowerCase() },
          { title: say('column.from'), of: ({ address }) => address },
          { title: say('column.last'), of: ({ last_at: at }) => momentOf(at) },
        ]}
      />
    </section>
  );
}
