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
  t.end();
});
