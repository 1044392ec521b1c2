/** What `config check --connect` finds of real servers. */
import t from 'tap';
import { risksOfStore } from '../../../../src/store/open.js';
import { NO_REDIS, startRedis, startSentinel } from '../fixtures/redis-server.js';

const LAGGING =
  '--store-replicas is 0, and Redis has 1 replica: one that is promoted by hand may lack the last acknowledged changes, ' +
  'which are lost then, and clients register again';

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('a master, its replica and a Sentinel say what can be lost', async (t) => {
    const settings = ['--repl-diskless-sync-delay', '0', '--appendonly', 'yes'];
    const master = await startRedis(t, ...settings, '--appendfsync', 'always');
    const alone = `redis://127.0.0.1:${master.port}`;
    t.same(await risksOfStore(alone, {}), [
      'Redis has no replica: if its machine dies for good, all changes since the last backup are lost',
    ]);
    const follow = ['--replicaof', `127.0.0.1 ${master.port}`, '--replica-priority', '0'];
    const replica = await startRedis(t, ...settings, ...follow);
    await replica.says(/sync: Finished with success/);
    while (!/state=online/.test(String(await master.command('INFO', 'replication'))));
    t.same(await risksOfStore(alone, {}), [
      LAGGING,
      'min-replicas-to-write is 0: a master that is cut off goes on to acknowledge changes that are lost then',
    ]);
    t.same(await risksOfStore(alone, { replicas: 1 }), [
      '--store-replicas is 1, and Redis has 1 replica: changes wait while one is away. One more keeps them going',
    ]);
    const sentinel = await startSentinel(t, 'chat', master.port);
    await sentinel.knows(replica.port);
    const watched = `redis+sentinel://127.0.0.1:${sentinel.port}/chat`;
    t.match(await risksOfStore(watched, { replicas: 1 }), [
      /changes wait while one is away/,
      /^One Sentinel alone watches the master/,
      'replica-priority is 0 on all replicas: Sentinel promotes none when the master dies',
    ]);

    const rules = ['>sesame', '~parley:*', '+@all', '-@admin', '-@dangerous', '-client', '+info'];
    await master.command('ACL', 'SETUSER', 'app', 'on', ...rules);
    await replica.command('CONFIG', 'SET', 'requirepass', 'other');
    const limited = alone.replace('//', '//app:sesame@');
    t.same(
      await risksOfStore(limited, {}),
      [
        'appendfsync cannot be read: unless it is always, a crash of the Redis host loses the last acknowledged changes.',
        LAGGING,
      ],
      'what may not be asked is left out',
    );
  });
}
