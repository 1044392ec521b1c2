import t from 'tap';
import { github } from '../../../../src/services/hooks/github.js';
import { isKnown } from '../../../../src/services/hooks/integration.js';
import { told } from './told.js';

/* After https://docs.github.com/en/webhooks/webhook-events-and-payloads, cut to what is read. */

const BASE = {
  repository: { name: 'elsinore', html_url: 'https://github.com/dane/elsinore' },
  organization: { login: 'dane' },
  sender: { login: 'horatio' },
};
const LINK = '[elsinore](https://github.com/dane/elsinore)';
const by = (event: string, payload: object) =>
  told(github, { ...BASE, ...payload }, { 'x-github-event': event });
const SHA = '0d1a26e67d8f5eaf1f6ba5c57fc3c7d91ac0fd1c';

void t.test('checks, statuses, deployments and pages of a repository', async (t) => {
  const run = {
    name: 'lint',
    status: 'completed',
    conclusion: 'timed_out',
    head_sha: SHA,
    html_url: 'https://github.com/run',
  };
  t.same(by('check_run', { action: 'completed', check_run: run }), [
    'elsinore / checks',
    '[lint](https://github.com/run) on `0d1a26e67d8`: **timed out**.',
  ]);
  t.equal(by('check_run', { check_run: { ...run, status: 'in_progress' } }), null);
  const commit = { html_url: 'https://github.com/c' };
  const status = { sha: SHA, commit, state: 'failure', context: 'ci/build', description: 'No' };
  t.same(by('status', { ...status, target_url: 'https://ci.example/1' }), [
    'elsinore',
    '[ci/build](https://ci.example/1) on [0d1a26e67d8](https://github.com/c): **failure**.' +
      '\n\n~~~ quote\nNo\n~~~',
  ]);
  t.same(by('status', { ...status, description: null, target_url: null }), [
    'elsinore',
    'ci/build on [0d1a26e67d8](https://github.com/c): **failure**.',
  ]);
  const deployment = { ref: 'main', environment: 'production' };
  t.same(by('deployment', { action: 'created', deployment }), [
    'elsinore / deployment to production',
    'horatio started a deployment of `main` to **production**.',
  ]);
  const after = { state: 'success', target_url: 'https://ci.example/2', description: '' };
  t.same(by('deployment_status', { deployment, deployment_status: after }), [
    'elsinore / deployment to production',
    '[Deployment](https://ci.example/2) of `main` to **production**: **success**.',
  ]);
  const build = { status: 'errored', pusher: { login: 'ofelia' }, error: { message: 'Bad' } };
  t.same(by('page_build', { build }), [
    'elsinore',
    'Build of GitHub Pages by ofelia: **errored**.\n\n~~~ quote\nBad\n~~~',
  ]);
  const pages = [{ action: 'edited', title: 'Home', html_url: 'https://github.com/wiki/Home' }];
  t.same(by('gollum', { pages }), [
    'elsinore / wiki pages',
    'horatio changed the wiki:\n\n* edited [Home](https://github.com/wiki/Home)',
  ]);
});

void t.test('what becomes of a repository, and who watches it', async (t) => {
  t.same(by('public', {}), ['elsinore', `horatio made ${LINK} public.`]);
  t.same(by('repository', { action: 'archived' }), [
    'elsinore',
    `horatio archived the repository ${LINK}.`,
  ]);
  t.same(by('watch', { action: 'started' }), ['elsinore', `horatio starred ${LINK}.`]);
  t.same(by('star', { action: 'deleted' }), ['elsinore', `horatio unstarred ${LINK}.`]);
  const forkee = { full_name: 'horatio/elsinore', html_url: 'https://github.com/horatio/elsinore' };
  t.same(by('fork', { forkee }), [
    'elsinore',
    'horatio forked **elsinore** to [horatio/elsinore](https://github.com/horatio/elsinore).',
  ]);
});

void t.test('members and teams', async (t) => {
  const member = { login: 'osric', html_url: 'https://github.com/osric' };
  const osric = '[osric](https://github.com/osric)';
  t.same(by('member', { action: 'added', member }), [
    'elsinore',
    `horatio added ${osric} to ${LINK}.`,
  ]);
  t.same(by('member', { action: 'removed', member }), [
    'elsinore',
    `horatio removed ${osric} from ${LINK}.`,
  ]);
  t.same(by('member', { action: 'edited', member }), [
    'elsinore',
    `horatio changed what ${osric} may do in ${LINK}.`,
  ]);
  const team = { name: 'Guards', description: 'Watch', privacy: 'secret' };
  t.same(by('membership', { action: 'removed', member, team }), [
    'dane',
    `horatio removed ${osric} from the team **Guards**.`,
  ]);
  t.same(by('team_add', { team }), ['elsinore', `horatio added the team **Guards** to ${LINK}.`]);
  const changed = (changes: object) => by('team', { action: 'edited', team, changes });
  t.same(by('team', { action: 'created', team }), [
    'team Guards',
    'horatio created the team **Guards**.',
  ]);
  t.same(by('team', { action: 'removed_from_repository', team }), [
    'team Guards',
    `horatio removed the team **Guards** from ${LINK}.`,
  ]);
  t.equal(by('team', { action: 'added_to_repository', team }), null);
  t.same(changed({ name: { from: 'Watchmen' } }), [
    'team Guards',
    'horatio renamed the team **Watchmen** to **Guards**.',
  ]);
  t.same(changed({ description: { from: '' } }), [
    'team Guards',
    'horatio changed the description of the team **Guards**.\n\n~~~ quote\nWatch\n~~~',
  ]);
  t.same(changed({ privacy: { from: 'closed' } }), [
    'team Guards',
    'horatio made the team **Guards** secret.',
  ]);
  t.same(changed({ notification_setting: { from: '' } }), [
    'team Guards',
    'horatio changed the team **Guards**.',
  ]);
});

void t.test('sponsorships', async (t) => {
  const sponsorship = { tier: { name: '$5 a month' }, privacy_level: 'private' };
  const changes = { tier: { from: { name: '$1' } }, privacy_level: { from: 'public' } };
  const effective_date = '2026-12-01T00:00:00+00:00';
  const said = (action: string, more: object = {}) =>
    by('sponsorship', { action, sponsorship, ...more });
  t.same(said('created'), ['sponsors', 'horatio became a sponsor with **$5 a month**.']);
  t.same(said('cancelled')?.[1], 'horatio ended the sponsorship **$5 a month**.');
  t.same(
    said('pending_cancellation', { effective_date })?.[1],
    'horatio ends the sponsorship **$5 a month** on 2026-12-01.',
  );
  t.same(
    said('tier_changed', { changes })?.[1],
    'horatio changed the sponsorship from **$1** to **$5 a month**.',
  );
  t.same(
    said('pending_tier_change', { changes, effective_date })?.[1],
    'horatio changes the sponsorship from **$1** to **$5 a month** on 2026-12-01.',
  );
  t.same(
    said('edited', { changes })?.[1],
    'horatio changed who sees the sponsorship from **public** to **private**.',
  );
});

void t.test('discussions and their comments', async (t) => {
  const discussion = {
    number: 9,
    title: 'To be',
    html_url: 'https://github.com/d/9',
    body: 'Or not?',
    category: { name: 'Q&A' },
  };
  const link = '[discussion #9 To be](https://github.com/d/9)';
  const topic = 'elsinore / discussion #9 To be';
  t.same(by('discussion', { action: 'created', discussion }), [
    topic,
    `horatio created ${link} in **Q&A**.\n\n~~~ quote\nOr not?\n~~~`,
  ]);
  t.same(by('discussion', { action: 'answered', discussion }), [
    topic,
    `horatio chose an answer to ${link}.`,
  ]);
  t.same(by('discussion', { action: 'locked', discussion }), [topic, `horatio locked ${link}.`]);
  const comment = { body: 'Not', html_url: 'https://github.com/d/9#1' };
  t.same(by('discussion_comment', { action: 'created', discussion, comment }), [
    topic,
    `horatio [commented](https://github.com/d/9#1) on ${link}:\n\n~~~ quote\nNot\n~~~`,
  ]);
});

void t.test('of kinds about which there is nothing to say, no owner is told', async (t) => {
  for (const kind of [
    'check_suite',
    'label',
    'meta',
    'milestone',
    'organization',
    'project_card',
    'repository_vulnerability_alert',
  ]) {
    t.ok(isKnown(github, kind), kind);
    t.equal(by(kind, { action: 'created' }), null, kind);
  }
  t.notOk(isKnown(github, 'secret_scanning_alert'));
});
