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

// The mobile apps ask for the picture (zulip-flutter, lib/model/emoji.dart), bridges and an Android app for the codes.
void t.test('what clients draw emoji with is at the addresses that they know', async (t) => {
  const files = publicFiles(
    new MemoryBlobs(),
    () => '',
    () => false,
  );
  const picture = await files('/static/generated/emoji/images/emoji/unicode/zulip.png');
  t.equal(picture?.contentType, 'image/png');
  t.same(picture?.body, (await files('/static/icon.png'))?.body);
  const path = '/static/generated/emoji/emoji_codes.json';
  const table = await files(path);
  t.equal(table?.contentType, 'application/json');
  t.equal(await files(path), table, 'one object, which is compressed once');
  const codes = JSON.parse(String(table?.body)) as Record<string, Record<string, unknown>>;
  t.match(codes, {
    name_to_codepoint: { '+1': '1f44d', thumbs_up: '1f44d', flag_germany: '1f1e9-1f1ea' },
    codepoint_to_name: { '1f44d': '+1', '1f642': 'smile' },
    emoticon_conversions: { ':)': ':smile:', '<3': ':heart:' },
  });
  t.ok((codes['names'] as unknown as string[]).includes('thumbs_up'));
  t.equal(
    (codes['emoji_catalog']!['Flags'] as string[]).at(-1),
    '1f3f4-e0067-e0062-e0077-e006c-e0073-e007f',
  );
  const known = codes['codepoint_to_name']!;
  t.same(
    Object.values(codes['emoji_catalog'] as Record<string, string[]>)
      .flat()
      .filter((code) => !Object.hasOwn(known, code)),
    [],
  );
  t.equal(await files('/static/generated/emoji/images-google-64/1f44d.png'), undefined);
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
