import t from 'tap';
import type { Fetched } from '../../../../src/services/outside/guarded-get.js';
import { guardedGet } from '../../../../src/services/outside/guarded-get.js';
import { OutsidePictures } from '../../../../src/services/outside/outside-pictures.js';
import { PictureLinks } from '../../../../src/services/outside/picture-links.js';
import { ReachableAddresses } from '../../../../src/services/outside/reachable-addresses.js';
import { webServer } from '../../../fixtures/web-server.js';

const MIB = 1024 * 1024;
const links = new PictureLinks(Buffer.alloc(32, 3));
const ADDRESS = 'https://x.com/ä b.png?c=d';

void t.test('a path is for one address and of one server', async (t) => {
  const path = links.path(ADDRESS);
  t.match(path, /^\/external_content\/[0-9a-f]{64}\/[0-9a-f]+$/);
  t.equal(Buffer.from(path.split('/')[3]!, 'hex').toString(), ADDRESS);
  t.equal(links.addressOf(path), ADDRESS);
  const [, , digest = '', hex = ''] = path.split('/');
  const other = Buffer.from('http://127.0.0.1/').toString('hex');
  for (const wrong of [
    `/external_content/${digest}/${other}`,
    `/external_content/${'0'.repeat(64)}/${hex}`,
    `/external_content/${digest.slice(1)}/${hex}`,
    `/external_content/${digest.toUpperCase()}/${hex}`,
    `/external_content/${digest}/${hex}0`,
    `/external_content/${digest}/${hex}00`,
    `/external_content/${digest}/`,
    `/external_content/${digest}`,
    `/external_content/${digest}/${hex}/`,
    `/external_content/${digest}/${hex}?x`,
    `/external_content/../${digest}/${hex}`,
    `/external_kontent/${digest}/${hex}`,
    '/external_content/',
  ]) {
    t.equal(links.addressOf(wrong), undefined, wrong);
  }
  t.equal(new PictureLinks(Buffer.alloc(32, 4)).addressOf(path), undefined);
});

/** Pictures that come when the test says so. */
class World {
  readonly asked: string[] = [];
  readonly waiting: { resolve(fetched: Fetched): void; reject(error: Error): void }[] = [];
  readonly reasons: string[] = [];
  readonly pictures = new OutsidePictures({
    links,
    failed: (reason) => this.reasons.push(reason),
    get: (address) => {
      this.asked.push(address);
      return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
    },
  });

  at(address: string) {
    return this.pictures.at(links.path(address))!;
  }

  arrive(size: number): void {
    const url = new URL('http://x.com');
    const body = Buffer.alloc(size, 1);
    this.waiting.shift()!.resolve({ url, mediaType: 'image/png', charset: '', body });
  }
}

void t.test('a picture is fetched once, for all who ask, and kept', async (t) => {
  const world = new World();
  const asking = Array.from({ length: 1000 }, () => world.at(ADDRESS));
  t.same(world.asked, [ADDRESS]);
  world.arrive(10);
  const found = await Promise.all(asking);
  t.equal(new Set(found).size, 1);
  t.match(found[0], {
    contentType: 'image/png',
    cacheControl: 'private, max-age=86400',
    contentSecurityPolicy: "default-src 'none'; sandbox; frame-ancestors 'none'",
  });
  t.equal(await world.at(ADDRESS), found[0]);
  t.equal(world.asked.length, 1);
  t.equal(world.pictures.at('/static/icon.png'), undefined, 'other paths are not its own');
  t.equal(await world.pictures.at('/external_content/x'), undefined);
});

void t.test(
  'what fails is not asked again for a while, and says why to the operator alone',
  async (t) => {
    const world = new World();
    const first = world.at(ADDRESS);
    world.waiting.shift()!.reject(new Error('The address is not public'));
    t.equal(await first, undefined);
    t.equal(await world.at(ADDRESS), undefined);
    t.same([world.asked.length, world.reasons], [1, ['The address is not public']]);
  },
);

void t.test('what is kept, fetched at once and waits is bounded', async (t) => {
  const world = new World();
  for (let i = 0; i < 10; i++) {
    const picture = world.at(`http://x.com/${i}`);
    world.arrive(5 * MIB);
    await picture;
  }
  await world.at('http://x.com/9');
  t.equal(world.asked.length, 10, 'the newest are kept');
  void world.at('http://x.com/0');
  t.equal(world.asked.length, 11, 'older ones made room');
  const all = Array.from({ length: 200 }, (_, i) => world.at(`http://y${i % 5}.com/${i}`));
  t.equal(world.waiting.length, 8, 'fetched at once');
  const refused = all.map(async (one) =>
    one.then(
      () => 'there',
      (error: Error) => error.message,
    ),
  );
  t.equal(await Promise.race(refused), 'Too many pictures are being fetched');
  const quiet = world.at('http://quiet.com/');
  world.arrive(1);
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
  t.equal(world.asked.at(-1), 'http://quiet.com/', 'a server that was asked little comes first');
  void quiet;
  while (world.waiting.length > 0) {
    world.arrive(1);
    for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  }
  await Promise.all(refused);
});

void t.test('pictures of a web server', async (t) => {
  const port = await webServer(t, ({ url }, response) => {
    const [, kind, size] = url!.split('/');
    if (kind !== '') response.setHeader('Content-Type', decodeURIComponent(kind!));
    response.setHeader('Set-Cookie', 'a=b');
    response.end(Buffer.alloc(Number(size), 1));
  });
  const get = guardedGet({
    addresses: new ReachableAddresses(['127.0.0.1']),
    ownOrigin: 'https://chat.example.com',
  });
  const reasons: string[] = [];
  const failed = (reason: string): void => void reasons.push(reason);
  const pictures = new OutsidePictures({ get, links, failed });
  const at = (kind: string, size = 10) =>
    pictures.at(links.path(`http://127.0.0.1:${port}/${encodeURIComponent(kind)}/${size}`));
  for (const kind of ['image/png', 'IMAGE/JPEG', 'image/webp; a=b']) {
    t.match(await at(kind), { contentType: kind.toLowerCase().replace(/;.*/, '') });
  }
  for (const kind of ['image/svg+xml', 'text/html', 'image/png,text/html', '', 'image/']) {
    t.equal(await at(kind), undefined, kind);
  }
  t.same(new Set(reasons), new Set(['The media type is not one that is shown']));
  t.equal((await at('image/png', 5 * MIB))?.body.length, 5 * MIB);
  t.equal(await at('image/png', 5 * MIB + 1), undefined);
  t.equal(reasons.at(-1), 'The answer is too long');
});
