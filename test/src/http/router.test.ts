import t from 'tap';
import { Router } from '../../../src/http/router.js';

function table(): Router<string> {
  const router = new Router<string>();
  router.add('GET', '/users/{email}', new Set(), 'by-email');
  router.add('GET', '/users/{id}', new Set(['id']), 'by-id');
  router.add('PATCH', '/users/{id}', new Set(['id']), 'update-id');
  router.add('DELETE', '/users/{email}', new Set(), 'delete-email');
  router.add('GET', '/users/me', new Set(), 'me');
  router.add('POST', '/users/me', new Set(), 'post-me');
  router.add('GET', '/files/{name+}', new Set(), 'file');
  router.add('GET', '/files/{realm}/thumbs', new Set(['realm']), 'thumbs');
  return router;
}

function found(path: string, method = 'GET') {
  const hit = table().find(path)?.select(method);
  return hit && [hit.target, { ...hit.values }];
}

void t.test('a path without placeholders wins', async (t) => {
  t.same(found('/users/me'), ['me', {}]);
  t.equal(found('/users/me', 'DELETE'), undefined, 'and its methods decide');
});

void t.test('integers match numbers only, and come before texts', async (t) => {
  t.same(found('/users/7'), ['by-id', { id: 7 }]);
  t.same(found('/users/7', 'DELETE'), ['delete-email', { email: '7' }]);
  t.same(found('/users/a@b.c'), ['by-email', { email: 'a@b.c' }]);
  t.equal(found('/users/a@b.c', 'PATCH'), undefined);
  t.equal(found('/users/99999999999999999999', 'PATCH'), undefined, 'too large');
  t.equal(found('/users/9007199254740993', 'PATCH'), undefined, 'not exact');
  t.equal(found('/users/-1', 'PATCH'), undefined);
  t.equal(found('/users/a\ufffdb'), undefined, 'bytes that are lost');
  t.same(found('/users/a%EF%BF%BDb'), ['by-email', { email: 'a\ufffdb' }]);
});

void t.test(
  'a rest placeholder takes what is left, and the more specific pattern wins',
  async (t) => {
    t.same(found('/files/2/a/b.txt'), ['file', { name: '2/a/b.txt' }]);
    t.same(found('/files/2/thumbs'), ['thumbs', { realm: 2 }]);
    t.same(found('/files/x/thumbs'), ['file', { name: 'x/thumbs' }]);
    t.equal(table().find('/files/'), undefined);
  },
);

void t.test(
  'segments are decoded; what is malformed stays escaped, as in Django, and NUL is no path',
  async (t) => {
    t.same(found('/users/a%40b%2Fc'), ['by-email', { email: 'a@b/c' }]);
    t.same(found('/users/%6De'), ['me', {}]);
    t.equal(table().find('/users%2Fme'), undefined, 'an escaped slash separates nothing');
    for (const text of ['%', '50%', '%zz', '%ff']) {
      t.same(found(`/users/${text}`), ['by-email', { email: text }]);
    }
    t.same(found('/users/%c3%a9%'), ['by-email', { email: 'é%' }]);
    t.equal(table().find('/users/%00'), undefined);
  },
);

void t.test('case and trailing slashes matter', async (t) => {
  for (const path of ['/Users/me', '/users/me/', '/users/', '/users', '', '//users/me']) {
    t.equal(table().find(path), undefined, path);
  }
});

void t.test('allowed methods are those of all patterns that match, HEAD with GET', async (t) => {
  t.same(table().find('/users/7')?.allowed(), ['GET', 'HEAD', 'PATCH', 'DELETE']);
  t.same(table().find('/users/x')?.allowed(), ['GET', 'HEAD', 'DELETE']);
});

void t.test('mistakes in the table fail at boot', async (t) => {
  const router = table();
  const none = new Set<string>();
  t.throws(() => router.add('GET', '/users/me', none, 'x'), /Two endpoints for GET \/users\/me/);
  t.throws(() => router.add('GET', '/users/{id}', new Set(['id']), 'x'), /Two endpoints/);
  t.throws(() => router.add('GET', '/a/{b+}/c', none, 'x'), /must end/);
  t.throws(() => router.add('GET', '/a/x{b}', none, 'x'), /Malformed path/);
});
