import t from 'tap';
import { github } from '../../../../src/services/hooks/github.js';
import { told } from './told.js';

/* After https://docs.github.com/en/webhooks/webhook-events-and-payloads, cut to what is read. */

const BASE = {
  repository: {
    name: 'elsinore',
    full_name: 'dane/elsinore',
    html_url: 'https://github.com/dane/elsinore',
  },
  sender: { login: 'horatio' },
};
const by = (event: string, payload: object) =>
  told(github, { ...BASE, ...payload }, { 'x-github-event': event });

const ISSUE = {
  number: 7,
  title: 'A ghost',
  html_url: 'https://github.com/dane/elsinore/issues/7',
  body: 'Who’s there?',
};
const PULL = {
  number: 8,
  title: 'A play',
  html_url: 'https://github.com/dane/elsinore/pull/8',
  body: 'The mousetrap',
  merged: false,
};
const COMMIT = {
  id: '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c',
  message: 'Add a wall\n\nand more',
  url: 'https://github.com/dane/elsinore/commit/0d1a26e',
};

void t.test('a push makes a message with its commits, in the topic of its branch', async (t) => {
  const push = {
    ref: 'refs/heads/main',
    compare: 'https://github.com/dane/elsinore/compare/a...b',
    commits: [COMMIT],
  };
  t.same(by('push', push), [
    'elsinore / main',
    'horatio [pushed](https://github.com/dane/elsinore/compare/a...b) 1 commit to branch `main`.\n' +
      '\n* Add a wall ([0d1a26e67d8](https://github.com/dane/elsinore/commit/0d1a26e))',
  ]);
  t.match(by('push', { ...push, forced: true }), [String, /^horatio \[force pushed\]/]);
  t.same(by('push', { ...push, deleted: true }), ['elsinore / main', 'horatio deleted `main`.']);
  t.same(by('push', { ...push, ref: 'refs/tags/v1' }), [
    'elsinore / v1',
    'horatio pushed tag `v1`.',
  ]);
  const byKey = { ...push, sender: undefined, pusher: { name: 'deploy key' } };
  t.match(by('push', byKey), [String, /^deploy key \[pushed\]/]);
  const many = Array.from({ length: 25 }, () => COMMIT);
  t.match(by('push', { ...push, commits: many }), [String, /25 commits [^]*\n\* and 5 more$/]);
  t.same(by('create', { ref: 'play', ref_type: 'branch' }), [
    'elsinore / play',
    'horatio created branch `play`.',
  ]);
});

void t.test('issues and their comments', async (t) => {
  const link = '[issue #7 A ghost](https://github.com/dane/elsinore/issues/7)';
  t.same(by('issues', { action: 'opened', issue: ISSUE }), [
    'elsinore / issue #7 A ghost',
    `horatio opened ${link}.\n\n~~~ quote\nWho’s there?\n~~~`,
  ]);
  t.same(by('issues', { action: 'closed', issue: ISSUE }), [
    'elsinore / issue #7 A ghost',
    `horatio closed ${link}.`,
  ]);
  t.match(by('issues', { action: 'labeled', issue: ISSUE, label: { name: 'bug' } }), [
    String,
    /\(`bug`\)\.$/,
  ]);
  const comment = { body: 'Stay!', html_url: 'https://github.com/dane/elsinore/issues/7#c1' };
  t.same(by('issue_comment', { action: 'created', issue: ISSUE, comment }), [
    'elsinore / issue #7 A ghost',
    `horatio [commented](https://github.com/dane/elsinore/issues/7#c1) on ${link}:\n\n~~~ quote\nStay!\n~~~`,
  ]);
  const onPull = { action: 'created', issue: { ...ISSUE, pull_request: {}, number: 8 }, comment };
  t.match(by('issue_comment', onPull), ['elsinore / PR #8 A ghost', /on \[PR #8/]);
});

void t.test('pull requests and reviews', async (t) => {
  const link = '[PR #8 A play](https://github.com/dane/elsinore/pull/8)';
  const pr = (action: string, more: object = {}) =>
    by('pull_request', { action, pull_request: { ...PULL, ...more } })![1];
  t.equal(pr('opened'), `horatio opened ${link}.\n\n~~~ quote\nThe mousetrap\n~~~`);
  t.equal(pr('synchronize'), `horatio updated ${link}.`);
  t.equal(pr('closed'), `horatio closed without merge ${link}.`);
  t.equal(pr('closed', { merged: true }), `horatio merged ${link}.`);
  const review = { state: 'approved', html_url: 'https://github.com/r/1', body: 'Well' };
  t.same(by('pull_request_review', { action: 'submitted', pull_request: PULL, review }), [
    'elsinore / PR #8 A play',
    `horatio [approved](https://github.com/r/1) ${link}.\n\n~~~ quote\nWell\n~~~`,
  ]);
});

void t.test('each further event of GitHub makes its message', async (t) => {
  t.same(by('ping', { zen: 'x' }), ['elsinore', 'GitHub webhook has been set up by horatio.']);
  t.same(by('ping', { hook: { type: 'App' }, repository: undefined, sender: undefined }), [
    'GitHub',
    'GitHub webhook has been set up.',
  ]);
  t.same(by('star', { action: 'created' }), [
    'elsinore',
    'horatio starred [elsinore](https://github.com/dane/elsinore).',
  ]);
  const release = { name: 'First', tag_name: 'v1', html_url: 'https://github.com/x', body: '' };
  t.same(by('release', { action: 'published', release }), [
    'elsinore',
    'horatio published release [First](https://github.com/x).',
  ]);
  const run = {
    name: 'CI',
    run_number: 5,
    head_branch: 'main',
    html_url: 'https://github.com/run',
    conclusion: 'timed_out',
  };
  t.same(by('workflow_run', { action: 'completed', workflow_run: run }), [
    'elsinore / main',
    '[CI #5](https://github.com/run) on `main`: **timed out**.',
  ]);
  t.match(by('workflow_run', { action: 'completed', workflow_run: { ...run, name: null } }), [
    String,
    /^\[Workflow #/,
  ]);
  t.equal(by('workflow_run', { action: 'requested', workflow_run: run }), null);
  t.equal(by('marketplace_purchase', {}), null, 'not known');
});

void t.test('what outsiders write mentions nobody and breaks out of nothing', async (t) => {
  const evil = {
    ...ISSUE,
    title: 'a] @**all** (b',
    body: 'x\n~~~\n@**all**',
    html_url: 'javascript:x',
  };
  const [, content] = by('issues', { action: 'opened', issue: evil })!;
  t.equal(
    content,
    'horatio opened issue #7 a&#93; @&#42;&#42;all&#42;&#42; (b.\n\n~~~~ quote\nx\n~~~\n@**all**\n~~~~',
  );
});
