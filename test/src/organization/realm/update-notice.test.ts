import t from 'tap';
import { postUpdateNotice } from '../../../../src/organization/realm/update-notice.js';
import { SOFTWARE_VERSION } from '../../../../src/organization/state/software.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { documentsIn } from '../../../fixtures/documents-in.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

void t.test('other software is announced where the organization wants it', (t) => {
  const world = new LivingOrganization();
  const posted = (): unknown[] => {
    const since = world.position;
    world.transact((tx) => postUpdateNotice(tx, createMarkdown()));
    return world.entries
      .slice(since)
      .flatMap(({ content }) => documentsIn(content.writes, 'message'));
  };
  t.strictSame(posted(), []);
  world.setRealm({ zulip_update_announcements_stream_id: world.general.stream_id });
  t.match(posted(), [
    {
      stream_id: world.general.stream_id,
      topic: 'server updates',
      content: `This server now runs Parley ${SOFTWARE_VERSION}.`,
    },
  ]);
  world.setRealm({ default_language: 'ja' });
  const japanese = {
    topic: 'サーバーの更新',
    content: `このサーバーは Parley ${SOFTWARE_VERSION} になりました。`,
  };
  t.match(posted(), [japanese], 'in the language of the organization');
  t.end();
});
