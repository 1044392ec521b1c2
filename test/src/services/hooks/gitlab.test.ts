import t from 'tap';
import { gitlab } from '../../../../src/services/hooks/gitlab.js';
import { told } from './told.js';

/* After https://docs.gitlab.com/user/project/integrations/webhook_events/, cut to what is read. */

const BASE = {
  project: { name: 'Diaspora', web_url: 'http://example.com/mike/diaspora' },
  user: { name: 'Administrator' },
  user_name: 'John Smith',
};
const by = (event: string, payload: object) =>
  told(gitlab, { ...BASE, ...payload }, { 'x-gitlab-event': event });

void t.test('GitLab: pushes and tags become messages with their commits', async (t) => {
  const commit = {
    id: 'b6568db1bc1dcd7f8b4d5a946b0b91f9dacd7327',
    message: 'Update Catalan translation to e38cb41.\n\nSee more',
    title: 'Update Catalan translation to e38cb41.',
    url: 'http://example.com/mike/diaspora/commit/b6568db1',
  };
  const push = {
    ref: 'refs/heads/master',
    after: 'da1560886d4f',
    commits: [commit],
    total_commits_count: 4,
  };
  t.same(by('Push Hook', push), [
    'Diaspora / master',
    'John Smith pushed 4 commits to branch `master`.\n' +
      '\n* Update Catalan translation to e38cb41. ([b6568db1bc1](http://example.com/mike/diaspora/commit/b6568db1))',
  ]);
  t.same(by('Push Hook', { ...push, after: '0'.repeat(40) }), [
    'Diaspora / master',
    'John Smith deleted branch `master`.',
  ]);
  t.same(by('Tag Push Hook', { ref: 'refs/tags/v1.0.0', after: '82b3d5ae' }), [
    'Diaspora',
    'John Smith pushed tag `v1.0.0`.',
  ]);
});

void t.test('hooks of a whole server, whose events have one kind', async (t) => {
  // After https://docs.gitlab.com/administration/system_hooks
  const system = (payload: object) => by('System Hook', payload);
  t.same(system({ object_kind: 'push', ref: 'refs/heads/master', after: '1a', commits: [] }), [
    'Diaspora / master',
    'John Smith pushed 0 commits to branch `master`.\n',
  ]);
  t.same(system({ object_kind: 'tag_push', ref: 'refs/tags/v1.0.0', after: '82b3d5ae' }), [
    'Diaspora',
    'John Smith pushed tag `v1.0.0`.',
  ]);
  const merge = { iid: 1, title: 'MS-Viewport', url: 'http://example.com/m/1', action: 'open' };
  t.match(system({ object_kind: 'merge_request', object_attributes: merge }), [
    'Diaspora / MR !1 MS-Viewport',
    /^Administrator opened /,
  ]);
  for (const other of [
    { event_name: 'project_create', name: 'StoreCloud' },
    { event_name: 'repository_update', changes: [] },
    { object_kind: 'constructor' },
  ]) {
    t.equal(system(other), null);
  }
});

void t.test('issues, merge requests, notes', async (t) => {
  const issue = {
    iid: 23,
    title: 'New API',
    url: 'http://example.com/i/23',
    action: 'open',
    description: 'Create it',
  };
  t.same(by('Issue Hook', { object_attributes: issue }), [
    'Diaspora / issue #23 New API',
    'Administrator opened [issue #23 New API](http://example.com/i/23).\n\n~~~ quote\nCreate it\n~~~',
  ]);
  const merge = { iid: 1, title: 'MS-Viewport', url: 'http://example.com/m/1', action: 'merge' };
  t.same(by('Merge Request Hook', { object_attributes: merge }), [
    'Diaspora / MR !1 MS-Viewport',
    'Administrator merged [MR !1 MS-Viewport](http://example.com/m/1).',
  ]);
  const note = { note: 'Hello world', url: 'http://example.com/n', noteable_type: 'Issue' };
  t.same(by('Note Hook', { object_attributes: note, issue }), [
    'Diaspora / issue #23 New API',
    'Administrator [commented](http://example.com/n) on **issue #23 New API**:\n\n~~~ quote\nHello world\n~~~',
  ]);
});

void t.test('GitLab: pipelines and jobs become messages with their status', async (t) => {
  const pipeline = {
    object_attributes: { id: 31, ref: 'master', status: 'failed' },
    builds: [
      { name: 'test', status: 'failed' },
      { name: 'lint', status: 'success' },
    ],
  };
  t.same(by('Pipeline Hook', pipeline), [
    'Diaspora / master',
    '[Pipeline #31](http://example.com/mike/diaspora/-/pipelines/31) **failed**.\n* test failed',
  ]);
  const job = {
    ref: 'main',
    build_name: 'test',
    build_stage: 'test',
    build_status: 'success',
    project_name: 'A / B',
  };
  t.same(by('Job Hook', job), ['A / B / main', 'Job **test** of stage test passed.']);
  t.equal(by('Feature Flag Hook', {}), null);
});
