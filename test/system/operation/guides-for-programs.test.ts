/** The guides in docs/guides to what posts and reads by itself: what they say to type is typed. */
import t from 'tap';
import { ApiClient, type Body } from '../harness/client.js';
import { blocks, missing, outcome, shell, workplace } from '../harness/guide.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(240_000);

const PYTHON = { skip: await missing('curl', 'python3', 'bash') };

void t.test('integrations.md: its commands post as a service does', PYTHON, async (t) => {
  const server = await RunningServer.start(t);
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const guide = shell(workplace(t), blocks('integrations.md', 'sh').join('\n'), {
    URL: server.url,
    EMAIL: OWNER_EMAIL,
    KEY: owner.key,
  });
  const { code, said } = await outcome(guide);
  t.equal(code, 0, said);
  const page = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
  const { messages } = await owner.ok('GET', '/messages', page);
  t.match((messages as Body[])[0], {
    display_recipient: 'builds',
    subject: 'parley',
    content:
      'Build [#20](https://ci.example.org/#/builders/79/builds/20) of **linux**: **success**.',
  });
});
