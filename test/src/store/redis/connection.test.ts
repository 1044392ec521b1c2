/** What a connection makes of the refusals of Redis, in its own words, over a server that is written down here. */
import t from 'tap';
import { ErrorReply } from 'redis';
import { inspectServer } from '../../../../src/store/redis/checks.js';
import { Connection } from '../../../../src/store/redis/connection.js';
import { RedisUnavailableError } from '../../../../src/store/redis/errors.js';

const PATIENCE = { replyMs: 60_000, waitMs: 60_000 };

/** A server that refuses some commands, by their place in the order, and answers the others. */
class Server {
  clients = 0;
  asked = 0;
  readonly connection = new Connection(async () => {
    this.clients += 1;
    return { send: async () => this.answer() };
  }, PATIENCE);

  constructor(private readonly refusals: Readonly<Record<number, string>>) {}

  private answer(): string {
    this.asked += 1;
    const refusal = this.refusals[this.asked];
    if (refusal !== undefined) throw new ErrorReply(refusal);
    return 'OK';
  }

  /** What comes of a command that may be sent twice: `OK`, or the class of the error and how it begins. */
  ask(): Promise<string> {
    const sent = this.connection.retry(() => this.connection.send(['GET', 'x']));
    return sent.then(String, (error: Error) => {
      const word = error instanceof RedisUnavailableError ? 'unavailable' : 'refused';
      return `${word}: ${error.message.split(' ')[0]}`;
    });
  }
}

/** Refusals that pass, and whether another connection may lead past them. */
const PASSING: readonly [string, boolean][] = [
  ['LOADING Redis is loading the dataset in memory', false],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', false],
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", false],
  ['TRYAGAIN Multiple keys request during rehashing of slot', false],
  ['CLUSTERDOWN The cluster is down', true],
  ["READONLY You can't write against a read only replica.", true],
  ['MOVED 3999 127.0.0.1:6381', true],
  ['ASK 3999 127.0.0.1:6381', true],
];

void t.test('what passes is asked again, of another client where that may help', async (t) => {
  for (const [refusal, isElsewhere] of PASSING) {
    const server = new Server({ 2: refusal });
    t.equal(await server.ask(), 'OK');
    t.equal(await server.ask(), 'OK', refusal);
    t.equal(server.asked, 3);
    t.equal(server.clients, isElsewhere ? 2 : 1, refusal);
  }
});

const UNFIT = [
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  'NOREPLICAS Not enough good replicas to write.',
  'NOAUTH Authentication required.',
  "NOPERM this user has no permissions to run the 'get' command",
  "ERR The user executing the script can't run this command or subcommand script: f_1, on @user_script:1.",
  'ERR ACL failure in script: User default has no permissions to run the command',
];

void t.test('what its state forbids is not asked again, and may be right later', async (t) => {
  for (const refusal of UNFIT) {
    const server = new Server({ 2: refusal });
    t.equal(await server.ask(), 'OK');
    t.match(await server.ask(), /^unavailable: /, refusal);
    t.equal(server.asked, 2);
    t.equal(await server.ask(), 'OK', 'on the same connection');
    t.equal(server.clients, 1);
  }
});

void t.test('a password or a right that is missing from the first is a wrong URL', async (t) => {
  for (const refusal of UNFIT) {
    const isWrong = /^(NOAUTH|NOPERM)/.test(refusal);
    const [word] = refusal.split(' ');
    const told = await new Server({ 1: refusal }).ask();
    if (isWrong) t.equal(told, `refused: ${word}`);
    else t.match(told, /^unavailable: /, refusal);
  }
});

void t.test('any other refusal is told as it is', async (t) => {
  for (const refusal of [
    'WRONGTYPE Operation against a key holding the wrong kind of value',
    "ERR unknown command 'JSON.SET'",
    'ERR a text with OOM and LOADING in it',
    'NOSCRIPT No matching script.',
  ]) {
    const server = new Server({ 2: refusal });
    await server.ask();
    t.equal(await server.ask(), `refused: ${refusal.split(' ')[0]}`);
    t.equal(server.asked, 2);
  }
});

void t.test('servers from Redis 6.2 on are taken, by what they say of themselves', async (t) => {
  const inspected = async (info: string): Promise<string> => {
    const send = async (command: readonly string[]) => {
      if (command[0] === 'INFO') return info;
      return command[0] === 'COMMAND' ? [null] : [];
    };
    const open = async () => ({ send });
    return inspectServer(new Connection(open, PATIENCE)).then(
      ({ name, shebang }) => `${name}, ${shebang ? 'with' : 'without'} #!lua`,
      (error: Error) => error.message,
    );
  };
  const tooOld = (name: string): string =>
    `The server is ${name}; Parley needs Redis 6.2 or Valkey 7.2, or newer`;
  for (const [info, expected] of [
    ['redis_version:5.0.14', tooOld('redis 5.0.14')],
    ['redis_version:6.0.20', tooOld('redis 6.0.20')],
    ['redis_version:6.1.240', tooOld('redis 6.1.240')],
    ['redis_version:6.2.0', 'redis 6.2.0, without #!lua'],
    ['redis_version:7.0.0', 'redis 7.0.0, with #!lua'],
    ['redis_version:7.2.4\r\nvalkey_version:8.0.1', 'valkey 8.0.1, with #!lua'],
    ['redis_version:10.1.0', 'redis 10.1.0, with #!lua'],
    ['tcp_port:6379', tooOld('redis of unknown version')],
  ] as const) {
    t.equal(await inspected(`# Server\r\n${info}\r\n`), expected);
  }
});

void t.test(
  'a server that says nothing is left as soon as others say that it was replaced',
  async (t) => {
    const answers = [false, true];
    let opened = 0;
    const connection = new Connection(async (ended) => {
      const isFirst = ++opened === 1;
      return {
        send: () =>
          new Promise((resolve, reject) => {
            ended.addEventListener('abort', () => reject(new Error('ended')));
            if (!isFirst) resolve('OK');
          }),
        isReplaced: async () => answers.shift()!,
      };
    }, PATIENCE);
    t.equal(await connection.retry(() => connection.send(['GET', 'x'])), 'OK');
    t.same([opened, answers], [2, []]);
    connection.close();
  },
);
