import t from 'tap';
import { FEATURE_LEVEL, ZULIP_VERSION } from '../../../../schemas/limits.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { recordSoftware, SOFTWARE_VERSION } from '../../../../src/organization/state/software.js';
import { Transaction } from '../../../../src/organization/state/transaction.js';

const CURRENT = {
  zulip_version: ZULIP_VERSION,
  zulip_feature_level: FEATURE_LEVEL,
  software_version: SOFTWARE_VERSION,
};

function setUp(former?: typeof CURRENT) {
  const site = { url: '', botDomain: 'example.com', generation: 1_800_000_000 };
  const org = new Organization(site, { getMany: () => Promise.resolve([]) }, () => 0);
  if (former) org.load('server', former);
  const { content } = org.unit.run(new Transaction(org, 1, 0), recordSoftware);
  return { org, content };
}

void t.test('the first start notes the software and tells nobody', async (t) => {
  const { org, content } = setUp();
  t.same(org.server.get('server'), CURRENT);
  t.same(content.events, []);
});

void t.test('a restart of the same software writes nothing', async (t) => {
  const { content } = setUp(CURRENT);
  t.same(content.writes, []);
  t.same(content.events, []);
});

void t.test('another software than before is told to every queue', async (t) => {
  for (const former of [
    { ...CURRENT, software_version: '0.0.1' },
    { ...CURRENT, zulip_version: '11.0' },
    { ...CURRENT, zulip_feature_level: FEATURE_LEVEL - 1 },
  ]) {
    const { org, content } = setUp(former);
    t.same(org.server.get('server'), CURRENT);
    t.match(content.events, [
      {
        type: 'restart',
        audience: { to: 'all' },
        data: {
          zulip_version: ZULIP_VERSION,
          zulip_merge_base: ZULIP_VERSION,
          zulip_feature_level: FEATURE_LEVEL,
          server_generation: 1_800_000_000,
        },
      },
    ]);
  }
});
