/** What an operator sees of the actors: counted once for all nodes, listed, and one by one. */
import t from 'tap';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, type Exit } from '../harness/server.js';

// Each command is a process, which loaded machines take long to start.
t.setTimeout(120_000);

/** What the metrics of a process say of actors, by machine and state. */
async function metricsOf(server: RunningServer): Promise<Record<string, number>> {
  const [, url = ''] = await server.printed(/^Metrics are served on (\S+)$/m);
  const text = await (await fetch(url)).text();
  const rows = text.matchAll(/^parley_actors\{machine="([\w-]+)",state="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...rows].map(([, machine, state, n]) => [`${machine} ${state}`, +n!]));
}

void t.test(
  'actors are counted, listed and shown, also those that are in the store alone',
  async (t) => {
    const env = { PARLEY_METRICS: '127.0.0.1:0' };
    const server = await RunningServer.start(t, { env });
    const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const admin = (...args: string[]): Promise<Exit> =>
      run([...args, '--store', server.store], {}, server.folder);
    const json = async (...args: string[]): Promise<unknown> => {
      const { stdout, stderr } = await admin(...args, '--json');
      return stderr === '' ? JSON.parse(stdout) : stderr;
    };
    const { queue_id } = await owner.register({
      event_types: ['message'],
      idle_queue_timeout: 3600,
    });
    await owner.ok('POST', '/users/me/presence', { status: 'idle', new_user_input: false });
    const at = Math.floor(Date.now() / 1000) + 86_400;
    const ids: string[] = [];
    for (const content of ['secret plan', 'another']) {
      const { scheduled_message_id: id } = await owner.ok('POST', '/scheduled_messages', {
        ...{ type: 'channel', to: 1, topic: 'later', content },
        scheduled_delivery_timestamp: at,
      });
      ids.push(String(id));
    }
    const follower = RunningServer.spawn(server.folder, { store: server.store, env });
    t.teardown(() => follower.kill());
    await follower.printed(/^Parley follows on/m);

    const counted = {
      ...{ 'event-queue live': 1, 'presence-session active': 0, 'presence-session idle': 1 },
      ...{ 'scheduled-message pending': 2, 'scheduled-message delivering': 0 },
      ...{
        'scheduled-message failed': 0,
        'topic-deletion deleting': 0,
        'topic-deletion partial': 0,
      },
    };
    const isOurs = ([name]: [string, number]): boolean => !name.startsWith('node-role');
    const all = async (one: RunningServer) =>
      Object.fromEntries(Object.entries(await metricsOf(one)).filter(isOurs));
    t.same(await all(server), counted, 'by the leader');
    t.same(await all(follower), {}, 'and by no other node again');
    const { nodes } = await owner.ok('GET', '/realm/console');
    t.match(nodes, [{ actors: { 'scheduled-message': { pending: 2 } } }]);

    t.match((await admin('actors')).stdout, /^scheduled-message +pending +2$/m);
    t.match(
      (await admin('actors', 'count')).stdout,
      /^presence-session +idle +1$/m,
      'the same by its name',
    );
    const due = new Date(at * 1000).toISOString().replace('.000', '');
    t.same(await json('actors', 'list', 'scheduled-message'), [
      { id: ids[0], state: 'pending', deadline: due },
      { id: ids[1], state: 'pending', deadline: due },
    ]);
    t.same(await json('actors', 'list', 'scheduled-message', 'failed'), []);
    t.same(await json('actors', 'list', 'reminder'), []);
    t.same(
      ((await json('actors', 'list', 'event-queue')) as { id: string }[]).map(({ id }) => id),
      [queue_id],
    );
    const [session] = (await json('actors', 'list', 'presence-session', 'idle')) as {
      id: string;
    }[];
    t.match(session!.id, new RegExp(`^${owner.userId}:`));

    const shown = await admin('actors', 'show', 'scheduled-message', ids[1]!);
    t.match(shown, { code: 0, stderr: '' });
    t.match(shown.stdout, /^state +pending$/m);
    t.match(shown.stdout, `deadline  ${due}`);
    t.match(
      shown.stdout,
      /"machine": "scheduled-message",\n {2}"version": 2,\n {2}"value": "pending"/,
    );
    t.match(
      shown.stdout,
      '> pending     deadline → delivering, edit → pending, cancel → cancelled\n',
    );
    t.match(shown.stdout, '  delivering  delivered → sent, refused → failed\n');
    t.notMatch(shown.stdout, 'another', 'nothing that people write');
    t.match(await json('actors', 'show', 'event-queue', queue_id), {
      snapshot: { value: 'live', context: { user_id: owner.userId, idle_timeout_ms: 3_600_000 } },
      chart: { machine: 'event-queue', initial_state: 'live' },
    });
    t.match(await json('actors', 'show', 'presence-session', session!.id), {
      ...{ kind: 'presence-session', id: session!.id, state: 'idle' },
      snapshot: { machine: 'presence-session', value: 'idle', context: { last_active_at: null } },
    });

    const refusals = [
      [['show', 'reminder', '1'], /There is no actor 1 of the kind reminder/],
      [['show', 'robot', '1'], /The kinds of actors are event-queue, presence-session, /],
      [
        ['list', 'reminder', 'asleep'],
        /have the states pending, delivering, failed, sent, cancelled/,
      ],
    ] as const;
    for (const [args, words] of refusals)
      t.match(await admin('actors', ...args), { code: 1, stderr: words });
    t.match(await admin('actors', 'show', 'reminder'), { code: 2, stderr: /takes KIND and ID/ });
    t.match(await admin('actors', 'list', 'a', 'b', 'c'), {
      code: 2,
      stderr: /takes KIND and \[STATE\]/,
    });
  },
);
