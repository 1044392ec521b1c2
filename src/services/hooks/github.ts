import { actor, REPOSITORY_EVENTS, repository, shortId } from './github-repository.js';
import { byEvent, type HookMessage, type Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bodyHmac } from './signatures.js';
import { bold, code, counted, inline, link, listed, quote, spaced } from './wording.js';

const { events, message } = byEvent({
  ping: (payload) => ({
    topic: repository(payload),
    // Apps have neither a repository nor somebody who set them up.
    content: payload.get('sender').isThere
      ? `GitHub webhook has been set up by ${actor(payload)}.`
      : 'GitHub webhook has been set up.',
  }),
  push,
  create: (payload) => refChange(payload, 'created'),
  delete: (payload) => refChange(payload, 'deleted'),
  issues: (payload) => thing(payload, 'issue', payload.get('issue'), 'body'),
  issue_comment: comment,
  pull_request: pullRequest,
  pull_request_review: review,
  pull_request_review_comment: (payload) => commented(payload, 'PR', payload.get('pull_request')),
  commit_comment: (payload) => ({
    topic: repository(payload),
    content:
      `${actor(payload)} ${link('commented', payload.get('comment', 'html_url'))} on ` +
      `${code(shortId(payload.get('comment', 'commit_id')))}:` +
      quote(payload.get('comment', 'body').text()),
  }),
  release: (payload) => ({
    topic: repository(payload),
    content:
      `${actor(payload)} ${spaced(payload.get('action').text())} release ` +
      link(
        payload.get('release', 'name').textOr(payload.get('release', 'tag_name').text()),
        payload.get('release', 'html_url'),
      ) +
      `.${quote(payload.get('release', 'body').textOr(''))}`,
  }),
  discussion: (payload) => thing(payload, 'discussion', payload.get('discussion'), 'body'),
  discussion_comment: (payload) => commented(payload, 'discussion', payload.get('discussion')),
  workflow_run: workflowRun,
  ...REPOSITORY_EVENTS,
});

export const github: Integration = {
  name: 'github',
  displayName: 'GitHub',
  docs: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads',
  events,
  // What runs, labels and settings are made of: each has another event about what comes of it, or is nothing to talk about.
  quiet: [
    'check_suite',
    'label',
    'meta',
    'milestone',
    'organization',
    'project_card',
    'repository_vulnerability_alert',
  ],
  eventHeader: 'x-github-event',
  signature: bodyHmac('x-hub-signature-256', 'sha256='),
  eventOf: ({ header }) => header('x-github-event'),
  message,
};

function branchOf(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

function push(payload: Payload): HookMessage | null {
  const ref = payload.get('ref').text();
  const branch = branchOf(ref);
  const topic = `${repository(payload)} / ${branch}`;
  if (payload.get('deleted').isThere) {
    return { topic, content: `${actor(payload)} deleted ${code(branch)}.` };
  }
  if (ref.startsWith('refs/tags/')) {
    return { topic, content: `${actor(payload)} pushed tag ${code(branch)}.` };
  }
  const commits = payload.get('commits').list;
  const verb = payload.get('forced').isThere ? 'force pushed' : 'pushed';
  const what = link(verb, payload.get('compare'));
  if (commits.length === 0) {
    return { topic, content: `${actor(payload)} ${what} the branch ${code(branch)}.` };
  }
  const lines = listed(commits, (commit) => {
    const title = commit.get('message').text().split('\n', 1)[0]!;
    return `${inline(title)} (${link(shortId(commit.get('id')), commit.get('url'))})`;
  });
  return {
    topic,
    content:
      `${actor(payload)} ${what} ${counted(commits.length, 'commit')} to branch ${code(branch)}.\n` +
      lines,
  };
}

function refChange(payload: Payload, verb: string): HookMessage | null {
  const kind = payload.get('ref_type').text();
  const ref = payload.get('ref').textOr('');
  return {
    topic: kind === 'branch' ? `${repository(payload)} / ${ref}` : repository(payload),
    content: `${actor(payload)} ${verb} ${inline(kind)}${ref === '' ? '' : ` ${code(ref)}`}.`,
  };
}

/** What has a number, a title and comments. */
type Kind = 'issue' | 'PR' | 'discussion';

/** Topic about one of them. */
function about(payload: Payload, kind: Kind, subject: Payload): string {
  const number = subject.get('number').text();
  return `${repository(payload)} / ${kind} #${number} ${subject.get('title').text()}`;
}

function named(kind: Kind, subject: Payload): string {
  const title = `${kind} #${subject.get('number').text()} ${subject.get('title').text()}`;
  return link(title, subject.get('html_url'));
}

/** Actions after which the text is shown. */
const WITH_BODY: readonly string[] = ['opened', 'created', 'edited'];

/** Actions whose names do not make a sentence. */
const ACTIONS: Readonly<Record<string, string>> = {
  answered: 'chose an answer to',
  unanswered: 'took back the answer to',
  category_changed: 'changed the category of',
};

function thing(payload: Payload, kind: Kind, subject: Payload, body: string): HookMessage {
  const action = payload.get('action').text();
  const label = payload.get('label', 'name').textOr('');
  const person = payload.get('assignee', 'login').textOr('');
  let detail = '';
  if (/label/.test(action) && label !== '') detail = ` (${code(label)})`;
  else if (/assigned/.test(action) && person !== '') detail = ` (${inline(person)})`;
  else if (kind === 'discussion' && action === 'created') {
    detail = ` in ${bold(subject.get('category', 'name').text())}`;
  }
  const shown = WITH_BODY.includes(action) ? subject.get(body).textOr('') : '';
  return {
    topic: about(payload, kind, subject),
    content: `${actor(payload)} ${ACTIONS[action] ?? spaced(action)} ${named(kind, subject)}${detail}.${quote(shown)}`,
  };
}

function pullRequest(payload: Payload): HookMessage | null {
  const subject = payload.get('pull_request');
  const action = payload.get('action').text();
  if (action === 'synchronize') {
    return {
      topic: about(payload, 'PR', subject),
      content: `${actor(payload)} updated ${named('PR', subject)}.`,
    };
  }
  if (action === 'closed') {
    const verb = subject.get('merged').isThere ? 'merged' : 'closed without merge';
    return {
      topic: about(payload, 'PR', subject),
      content: `${actor(payload)} ${verb} ${named('PR', subject)}.`,
    };
  }
  return thing(payload, 'PR', subject, 'body');
}

function commented(payload: Payload, kind: Kind, subject: Payload): HookMessage | null {
  const action = payload.get('action').text();
  const verb = action === 'created' ? 'commented' : `${spaced(action)} a comment`;
  const said = action === 'deleted' ? '' : payload.get('comment', 'body').text();
  return {
    topic: about(payload, kind, subject),
    content:
      `${actor(payload)} ${link(verb, payload.get('comment', 'html_url'))} on ` +
      `${named(kind, subject)}:${quote(said)}`,
  };
}

function comment(payload: Payload): HookMessage | null {
  const subject = payload.get('issue');
  return commented(payload, subject.get('pull_request').isThere ? 'PR' : 'issue', subject);
}

const REVIEWS: Readonly<Record<string, string>> = {
  approved: 'approved',
  changes_requested: 'requested changes on',
  commented: 'reviewed',
  dismissed: 'dismissed a review of',
};

function review(payload: Payload): HookMessage | null {
  if (payload.get('action').text() === 'edited') return null;
  const subject = payload.get('pull_request');
  const state = payload.get('review', 'state').text().toLowerCase();
  const verb = link(REVIEWS[state] ?? 'reviewed', payload.get('review', 'html_url'));
  return {
    topic: about(payload, 'PR', subject),
    content: `${actor(payload)} ${verb} ${named('PR', subject)}.${quote(payload.get('review', 'body').textOr(''))}`,
  };
}

function workflowRun(payload: Payload): HookMessage | null {
  if (payload.get('action').text() !== 'completed') return null;
  const run = payload.get('workflow_run');
  const branch = run.get('head_branch').textOr('');
  return {
    topic: `${repository(payload)} / ${branch}`,
    content:
      `${link(`${run.get('name').textOr('Workflow')} #${run.get('run_number').textOr('')}`, run.get('html_url'))} ` +
      `on ${code(branch)}: ${bold(spaced(run.get('conclusion').textOr('completed')))}.`,
  };
}
