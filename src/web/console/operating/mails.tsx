import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { momentOf, plural } from '../text.js';

/** Mails that no mail server has accepted yet, why, and a trial of it. */
export function Mails({ client }: { client: Client }) {
  const asked = useAsked(() => client.call('GET /realm/console/mails', {}), [client]);
  const people = useAsked(() => client.call('GET /users', {}), [client]);
  const deed = useDeed(asked.reload);
  const names = new Map(people.value?.members.map(({ user_id: id, full_name }) => [id, full_name]));
  const { mails = [], mails_waiting: waiting = 0, mail_server: server } = asked.value ?? {};
  const retry = (mail_id: number | undefined, words: string): void =>
    deed.run(() => client.call('POST /realm/console/mails/retry', { mail_id }), words);
  return (
    <section aria-labelledby="mails-title">
      <h2 id="mails-title">Mails</h2>
      {asked.value && (
        <p>
          {server ? `Mails go to ${server}.` : 'No mail server is configured (--mail).'}{' '}
          {plural(waiting, 'mail waits', 'mails wait')}
          {waiting > mails.length && `, of which the oldest ${mails.length} are shown`}.
        </p>
      )}
      <DeedLine deed={deed} asked={asked} />
      <Trial client={client} deed={deed} />
      <p>
        <button
          class="plain"
          disabled={waiting === 0 || deed.isBusy}
          onClick={() => retry(undefined, 'All are tried now.')}
        >
          Try all now
        </button>{' '}
        <button class="plain" onClick={asked.reload}>
          Look again
        </button>
      </p>
      <Table
        label="Mails that wait"
        rows={mails}
        keyOf={({ id }) => id}
        empty={asked.value ? 'No mail waits.' : 'Asking …'}
        columns={[
          {
            title: 'To',
            of: ({ to_user_id: id, to_email: email }) =>
              id === null ? email : (names.get(id) ?? id),
          },
          { title: 'About', of: ({ about }) => about.replaceAll('_', ' ') },
          { title: 'Since', of: ({ created_at: at }) => momentOf(at) },
          { title: 'Tried', isNumber: true, of: ({ attempts }) => attempts },
          { title: 'Next', of: ({ next_attempt_at: at }) => momentOf(at) },
          {
            title: 'Why',
            isLong: true,
            of: ({ last_failure: why, attempts }) =>
              why ?? (attempts === 0 ? 'not tried yet' : 'unknown'),
          },
          {
            title: 'Mail',
            of: ({ id }) => (
              <button
                class="plain"
                aria-label={`Try now: mail ${id}`}
                onClick={() => retry(id, `Mail ${id} is tried now.`)}
              >
                Try now
              </button>
            ),
          },
        ]}
      />
    </section>
  );
}

/** Sends a mail that says that mails arrive. */
function Trial({ client, deed }: { client: Client; deed: ReturnType<typeof useDeed> }) {
  const [email, setEmail] = useState('');
  const send = (event: Event): void => {
    event.preventDefault();
    deed.run(async () => {
      const { taken_by } = await client.call('POST /realm/console/mails/test', { email });
      return `The mail was taken by ${taken_by}.`;
    });
  };
  return (
    <form class="filters" onSubmit={send}>
      <span>
        <label for="test-mail">Send a test mail to</label>{' '}
        <input
          id="test-mail"
          type="email"
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </span>
      <button disabled={deed.isBusy}>Send</button>
    </form>
  );
}
