import t from 'tap';
import { parseRedisUrl } from '../../../../src/store/redis/url.js';

void t.test('the URL of one server names host, port, database and organization', async (t) => {
  t.match(parseRedisUrl('redis://localhost'), {
    kind: 'server',
    tls: null,
    addresses: [{ host: 'localhost', port: 6379 }],
    credentials: {},
    database: 0,
    organization: 'main',
    description: 'redis://localhost:6379/0?organization=main',
  });
  t.match(parseRedisUrl('rediss://ann:p%40ss%3Aw@db.example:7000/3?organization=acme'), {
    tls: { ca: null, cert: null, key: null },
    addresses: [{ host: 'db.example', port: 7000 }],
    credentials: { username: 'ann', password: 'p@ss:w' },
    database: 3,
    organization: 'acme',
    description: 'rediss://db.example:7000/3?organization=acme',
  });
  t.same(parseRedisUrl('redis://:secret@h').credentials, { password: 'secret' });
  t.same(parseRedisUrl('redis://[::1]:6380/').addresses, [{ host: '::1', port: 6380 }]);
});

void t.test('the URL of a server with TLS names files of certificates', async (t) => {
  t.match(parseRedisUrl('rediss://h?ca=/etc/ca%20one.pem'), {
    tls: { ca: '/etc/ca one.pem', cert: null, key: null },
    description: 'rediss://h:6379/0?organization=main',
  });
  t.same(parseRedisUrl('rediss+sentinel://h/m?cert=c.pem&key=k.pem').tls, {
    ca: null,
    cert: 'c.pem',
    key: 'k.pem',
  });
});

void t.test('an address of Sentinels or a Cluster is read with its nodes', async (t) => {
  const sentinel =
    'redis+sentinel://u:p@s1,s2:26380/chat/1?sentinel_user=w&sentinel_password=x%20y';
  t.match(parseRedisUrl(sentinel), {
    kind: 'sentinel',
    addresses: [
      { host: 's1', port: 26379 },
      { host: 's2', port: 26380 },
    ],
    credentials: { username: 'u', password: 'p' },
    sentinelCredentials: { username: 'w', password: 'x y' },
    masterName: 'chat',
    database: 1,
    description: 'redis+sentinel://s1:26379,s2:26380/chat/1?organization=main',
  });
  t.match(parseRedisUrl('rediss+cluster://n1:7000,n2:7001'), {
    kind: 'cluster',
    tls: {},
    addresses: [
      { host: 'n1', port: 7000 },
      { host: 'n2', port: 7001 },
    ],
  });
});

void t.test('refuses what it cannot mean, without repeating it', async (t) => {
  const wrong = [
    'redis:secret',
    'redis://',
    'redis://secret@',
    'redis://u:secret@host:0',
    'redis://u:secret@host:99999',
    'redis://u:secret@one,two',
    'redis://u:secret@host/zero',
    'redis://u:secret@host/0/1',
    'redis://u:%zzsecret@host',
    'redis://u:secret@host?database=1',
    'redis://u:secret@host?organization=a{b',
    'redis+sentinel://u:secret@host',
    'redis://u:secret@host?ca=secret.pem',
    'rediss://u:secret@host?cert=secret.pem',
    'rediss://u:secret@host?key=secret.pem',
    'redis+cluster://u:secret@host/1',
    'redis+other://u:secret@host',
  ];
  for (const url of wrong) {
    t.throws(() => parseRedisUrl(url), Error, url);
    try {
      parseRedisUrl(url);
    } catch (error) {
      t.notMatch(String(error), /secret/, url);
    }
  }
});
