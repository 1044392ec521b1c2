import { useState } from 'preact/hooks';
import type { Client, Reply } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { momentOf, plural } from '../text.js';

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
      return services.length === 0 ? 'Nothing is configured that could be tried.' : 'Tried.';
    });
  return (
    <section aria-labelledby="logins-title">
      <h2 id="logins-title">Logins</h2>
      <DeedLine deed={deed} asked={asked} />
      {logins && (
        <p>
          Of {plural(logins.active_people, 'person', 'people')} {logins.people_with_password} have a
          password here, {logins.people_with_two_factor} a second factor.
        </p>
      )}
      <Table
        label="Login methods"
        rows={logins?.login_methods ?? []}
        keyOf={({ login_method: name }) => name}
        empty="Asking …"
        columns={[
          {
            title: 'Method',
            of: ({ login_method: name }) =>
              name === 'OpenID Connect' && logins!.login_services.length > 0
                ? `${name}: ${logins!.login_services.join(', ')}`
                : name,
          },
          {
            title: 'Configured',
            of: ({ is_available: is }) => (is ? 'yes' : 'no: see the options of the server'),
          },
          {
            title: 'Allowed',
            of: ({ is_enabled: is }) => (is ? 'yes' : 'no, by the organization’s settings'),
          },
        ]}
      />
      <h3>Services</h3>
      <p>
        <button disabled={deed.isBusy} onClick={test}>
          Try mail server, directory and providers
        </button>
      </p>
      {tried && tried.length > 0 && (
        <Table
          label="Services that were tried"
          rows={tried}
          keyOf={({ service }) => service}
          empty=""
          columns={[
            { title: 'Service', of: ({ service }) => service },
            { title: 'Answers', isLong: true, of: ({ fault }) => fault ?? 'yes' },
          ]}
        />
      )}
      <h3>Failures of services</h3>
      <Table
        label="Failures of services"
        rows={failures}
        keyOf={(_row, index) => index}
        empty={troubles ? 'None.' : 'Asking …'}
        columns={[
          { title: 'Service', of: ({ kind }) => kind.replace('login: ', '') },
          { title: 'Why', isLong: true, of: ({ reason }) => reason },
          { title: 'Times', isNumber: true, of: ({ count }) => count.toLocaleString() },
          { title: 'Last', of: ({ last_at: at }) => momentOf(at) },
        ]}
      />
      <h3>Refused logins</h3>
      <Table
        label="Refused logins"
        rows={refused}
        keyOf={(_row, index) => index}
        empty={troubles ? 'None.' : 'Asking …'}
        columns={[
          { title: 'Times', isNumber: true, of: ({ count }) => count.toLocaleString() },
          { title: 'Why', of: ({ code }) => code.replaceAll('_', ' ').toLowerCase() },
          { title: 'From', of: ({ address }) => address },
          { title: 'Last', of: ({ last_at: at }) => momentOf(at) },
        ]}
      />
    </section>
  );
}
