import t from 'tap';
import { openApiDocument } from '../../../../schemas/openapi/document.js';
import { publicFiles } from '../../../../src/http/files/public-files.js';
import { MemoryBlobs } from '../../../fixtures/people-world.js';

void t.test(
  'generated pictures are drawn for accounts, and one for whom one may not see',
  async (t) => {
    const files = publicFiles(
      new MemoryBlobs(),
      () => 'https://chat.example.com',
      (id) => id === 7,
    );
    for (const name of ['7.png', '7-medium.png', '0.png']) {
      const file = await files(`/user_avatars/identicon/${name}`);
      t.match(file, { contentType: 'image/png', body: Buffer });
    }
    for (const name of ['8.png', '8-medium.png', '999999999999999.png', 'x.png']) {
      t.equal(await files(`/user_avatars/identicon/${name}`), undefined, name);
    }
    t.same(
      (await files('/user_avatars/identicon/007.png'))?.body,
      (await files('/user_avatars/identicon/7.png'))?.body,
      'one picture, however its number is written',
    );
  },
);

void t.test('the pictures that clients know by their address are there', async (t) => {
  const files = publicFiles(
    new MemoryBlobs(),
    () => '',
    () => false,
  );
  t.match(await files('/static/icon.svg'), { contentType: 'image/svg+xml' });
  const png = await files('/static/icon.png');
  t.equal((png?.body as Buffer).subarray(1, 4).toString(), 'PNG');
  const loading = await files('/static/images/loading/loader-black.svg');
  t.match(
    loading,
    { contentType: 'image/svg+xml', body: /^<svg / },
    'that of a picture in the making',
  );
});

void t.test(
  'others are served while the published contract is made, which happens once',
  async (t) => {
    const url = 'https://chat.example.com';
    const files = publicFiles(
      new MemoryBlobs(),
      () => url,
      () => false,
    );
    const real = performance.now.bind(performance);
    t.teardown(() => (performance.now = real));
    // A millisecond for each part, after which the clock is read.
    let [now, rounds, longest, roundBegan] = [0, 0, 0, 0];
    performance.now = () => (now += 1);
    let isMade = false;
    const round = (): void => {
      rounds += 1;
      longest = Math.max(longest, now - roundBegan);
      roundBegan = now;
      if (!isMade) setImmediate(round);
    };
    setImmediate(round);
    const file = files('/api/v1/openapi.json');
    t.equal(files('/api/v1/openapi.json'), file, 'who comes meanwhile waits for the same');
    const { contentType, body } = (await file)!;
    isMade = true;
    t.equal(contentType, 'application/json');
    t.ok(longest <= 3, `a part and a pause between two rounds: ${longest}`);
    t.ok(rounds > 500, `rounds of the event loop meanwhile: ${rounds}`);
    t.equal(body, JSON.stringify(openApiDocument(url)), 'the document, byte by byte');
  },
);
