import { crc32 } from 'node:zlib';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { nameInZip } from '../../../../src/transfer/import/zip-names.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { openStore } from '../../../../src/store/open.js';
import { imported } from '../../../fixtures/archives/imported.js';
import { zip } from '../../../fixtures/archives/zip.js';
import { storeFolder } from '../../../system/harness/server.js';

/** The extra field of Info-ZIP: a version, the checksum of the name it stands beside, a name. */
function unicodePath(name: string, of: Buffer, version = 1): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(version);
  head.writeUInt32LE(crc32(of), 1);
  return Buffer.concat([head, Buffer.from(name)]);
}

void t.test('names of a zip are read by their bytes', (t) => {
  const named = (hex: string, data?: Buffer): string =>
    nameInZip({
      fileNameRaw: Buffer.from(hex, 'hex'),
      extraFields: data ? [{ id: 0x7075, data }] : [],
    });
  t.equal(named('6bc3a47365'), 'käse', 'UTF-8, whatever the flag says');
  t.equal(named('6b847365'), 'käse', 'code page 437 else');
  t.equal(named('e481ee9b'), 'Σüε¢');
  t.equal(named('615c62'), 'a/b');
  const cut = Buffer.from('6b3f7365', 'hex');
  t.equal(named('6b3f7365', unicodePath('käse', cut)), 'käse', 'the name in UTF-8 beside it');
  t.equal(named('6b3f7365', unicodePath('a\\b', cut)), 'a/b');
  t.equal(named('6b3f7365', unicodePath('käse', Buffer.from('else'))), 'k?se', 'of another name');
  t.equal(named('6b3f7365', unicodePath('käse', cut, 2)), 'k?se', 'of an unknown version');
  t.equal(named('6b3f7365', Buffer.from([1, 0, 0, 0])), 'k?se', 'cut short');
  t.equal(named('6b3f7365', unicodePath('', cut)), 'k?se', 'empty');
  t.end();
});

const latin = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), 'latin1');

/** Gives an entry of a zip a name of other bytes, as many. */
function renamed(archive: Buffer, from: string, to: Buffer): Buffer {
  for (let at = archive.indexOf(from); at >= 0; at = archive.indexOf(from)) to.copy(archive, at);
  return archive;
}

void t.test(
  'an archive of Slack that no program wrote in UTF-8 comes in as it reads',
  async (t) => {
    const [folder, archive] = [storeFolder(t), join(storeFolder(t), 'slack.zip')];
    const user = { id: 'U1', name: 'zoe', profile: { real_name: 'Zoë', email: 'zoe@example.org' } };
    const said = { type: 'message', user: 'U1', ts: '1577923210.000200', text: 'Grüße' };
    const packed = zip([
      ['users.json', latin([user])],
      ['channels.json', latin([{ id: 'C1', name: 'käse', created: 1, members: ['U1'] }])],
      ['kXse/2020-01-02.json', latin([said])],
      ['emoji.json', latin({ fête: 'https://emoji.slack.example/T1/fete/1.png' })],
    ]);
    writeFileSync(archive, renamed(packed, 'kXse', Buffer.from('6b847365', 'hex')));
    const told = await imported(t, ['import-slack', '--organization', 'Engines', archive], folder);
    t.ok(told.includes('  1 custom emoji, which Slack keeps (such as fête)'), told.join('\n'));
    const store = await openStore(`embedded:${folder}`);
    const found: unknown[] = [];
    for (const collection of ['user', 'channel', 'message'] as const) {
      for await (const batch of store.scan(collection)) {
        for (const { document } of batch) {
          const { content } = document as unknown as MessageDocument;
          found.push(document['full_name'] ?? document['name'] ?? content);
        }
      }
    }
    await store.close();
    for (const text of ['Zoë', 'käse', 'Grüße'])
      t.ok(found.includes(text), `${text}: ${found.join()}`);
  },
);
