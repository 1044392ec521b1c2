import { useState } from 'preact/hooks';
import type { Client } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { momentOf, say } from '../text.js';

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
      <h2 id="mails-title">{say('mails.title')}</h2>
      {asked.value && (
        <p>
          {server ? say('mails.go-to', { server }) : say('mails.no-server')}{' '}
          {say('mails.wait', { count: waiting })}
          {waiting > mails.length && say('mails.oldest', { count: mails.length })}.
        </p>
      )}
      <DeedLine deed={deed} asked={asked} />
      <Trial client={client} deed={deed} />
      <p>
        <button
          class="plain"
          disabled={waiting === 0 || deed.isBusy}
          onClick={() => retry(undefined, say('mails.all-tried'))}
        >
          {say('mails.try-all')}
        </button>{' '}
        <button
          class="plain"
          onClick={() =>
            deed.run(() => Promise.resolve(), say('mails.looked', { time: momentOf(Date.now()) }))
          }
        >
          {say('mails.look-again')}
        </button>
      </p>
      <Table
        label={say('mails.list')}
        rows={mails}
        keyOf={({ id }) => id}
        empty={say(asked.value ? 'mails.none' : 'list.asking')}
        columns={[
          {
            title: say('mails.to'),
            of: ({ to_user_id: id, to_email: email }) =>
              id === null ? email : (names.get(id) ?? id),
          },
          { title: say('mails.about'), of: ({ about }) => about.replaceAll('_', ' ') },
          { title: say('column.since'), of: ({ created_at: at }) => momentOf(at) },
          { title: say('mails.tried'), isNumber: true, of: ({ attempts }) => attempts },
          { title: say('mails.next'), of: ({ next_attempt_at: at }) => momentOf(at) },
          {
            title: say('column.why'),
            isLong: true,
            of: ({ last_failure: why, attempts }) =>
              why ?? say(attempts === 0 ? 'mails.not-tried' : 'mails.unknown'),
          },
          {
            title: say('mails.mail'),
            of: ({ id }) => (
              <button
                class="plain"
                aria-label={say('mails.try-one', { id: String(id) })}
                onClick={() => retry(id, say('mails.one-tried', { id: String(id) }))}
              >
                {say('mails.try')}
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
      return taken_by === null ? say('mails.not-yet') : say('mails.taken', { server: taken_by });
    });
  };
  return (
    <form class="filters" onSubmit={send}>
      <span>
        <label for="test-mail">{say('mails.test')}</label>{' '}
        <input
          id="test-mail"
          type="email"
          required
          value={email}
          onInput={(event) => setEmail(event.currentTarget.value)}
        />
      </span>
      <button disabled={deed.isBusy}>{say('mails.send')}</button>
    </form>
  );
}
