import { byEvent, type HookMessage, type Integration } from './integration.js';
import type { Payload } from './payload.js';
import { sharedToken } from './signatures.js';
import { bold, code, counted, inline, link, listed, quote, spaced } from './wording.js';

const { events, message } = byEvent({
  'Push Hook': push,
  'Tag Push Hook': (payload) => {
    const tag = payload.get('ref').text().replace('refs/tags/', '');
    const verb = isGone(payload) ? 'removed' : 'pushed';
    return { topic: project(payload), content: `${pusher(payload)} ${verb} tag ${code(tag)}.` };
  },
  'Issue Hook': (payload) => changed(payload, 'issue', 'issue'),
  'Confidential Issue Hook': (payload) => changed(payload, 'confidential issue', 'issue'),
  'Merge Request Hook': (payload) => changed(payload, 'MR', 'MR', '!'),
  'Note Hook': note,
  'Pipeline Hook': pipeline,
  'Job Hook': (payload) => ({
    topic: `${payload.get('project_name').textOr(project(payload))} / ${payload.get('ref').text()}`,
    content:
      `Job ${bold(payload.get('build_name').text())} of stage ` +
      `${inline(payload.get('build_stage').textOr(''))} ${status(payload.get('build_status').text())}.`,
  }),
  'Release Hook': (payload) => ({
    topic: project(payload),
    content:
      `Release ${link(payload.get('name').textOr(payload.get('tag').text()), payload.get('url'))} ` +
      `was ${payload.get('action').text() === 'create' ? 'published' : `${spaced(payload.get('action').text())}d`}.` +
      quote(payload.get('description').textOr('')),
  }),
  'Wiki Page Hook': (payload) => {
    const page = payload.get('object_attributes');
    return {
      topic: project(payload),
      content:
        `${user(payload)} ${past(page.get('action').text())} wiki page ` +
        `${link(page.get('title').text(), page.get('url'))}.`,
    };
  },
});

/**
 * What the hooks of a whole server, https://docs.gitlab.com/administration/system_hooks, have as the one kind of all
 * events.
 */
const SYSTEM_HOOK = 'System Hook';
/** Their events that hooks of projects have too, by `object_kind`. */
const SYSTEM_EVENTS: ReadonlyMap<string, string> = new Map([
  ['push', 'Push Hook'],
  ['tag_push', 'Tag Push Hook'],
  ['merge_request', 'Merge Request Hook'],
]);

export const gitlab: Integration = {
  name: 'gitlab',
  displayName: 'GitLab',
  docs: 'https://docs.gitlab.com/user/project/integrations/webhook_events/',
  events,
  eventHeader: 'x-gitlab-event',
  signature: sharedToken('x-gitlab-token'),
  eventOf: ({ header, payload }) => {
    const event = header('x-gitlab-event');
    if (event !== SYSTEM_HOOK) return event;
    return SYSTEM_EVENTS.get(payload.get('object_kind').textOr('')) ?? SYSTEM_HOOK;
  },
  message,
};

function project(payload: Payload): string {
  return payload.get('project', 'name').textOr(payload.get('repository', 'name').textOr('GitLab'));
}

function pusher(payload: Payload): string {
  return inline(payload.get('user_name').text());
}

function user(payload: Payload): string {
  return inline(payload.get('user', 'name').text());
}

/** A branch or tag that was removed goes to the commit of zeros. */
function isGone(payload: Payload): boolean {
  return /^0+$/.test(payload.get('after').textOr(''));
}

function push(payload: Payload): HookMessage {
  const branch = payload.get('ref').text().replace('refs/heads/', '');
  const topic = `${project(payload)} / ${branch}`;
  if (isGone(payload))
    return { topic, content: `${pusher(payload)} deleted branch ${code(branch)}.` };
  const commits = payload.get('commits').list;
  const lines = listed(commits, (commit) => {
    const title = commit.get('title').textOr(commit.get('message').text().split('\n', 1)[0]!);
    return `${inline(title)} (${link(commit.get('id').text().slice(0, 11), commit.get('url'))})`;
  });
  const count = Math.max(commits.length, payload.get('total_commits_count').number);
  return {
    topic,
    content: `${pusher(payload)} pushed ${counted(count, 'commit')} to branch ${code(branch)}.\n${lines}`,
  };
}

const PAST: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  update: 'updated',
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'unapproved',
  create: 'created',
  delete: 'deleted',
};

function past(action: string): string {
  return PAST[action] ?? spaced(action);
}

function changed(payload: Payload, kind: string, short: string, sign = '#'): HookMessage {
  const thing = payload.get('object_attributes');
  const name = `${short} ${sign}${thing.get('iid').text()} ${thing.get('title').text()}`;
  const action = thing.get('action').textOr('update');
  const shown = action === 'open' ? thing.get('description').textOr('') : '';
  const title = `${kind} ${sign}${thing.get('iid').text()} ${thing.get('title').text()}`;
  return {
    topic: `${project(payload)} / ${name}`,
    content: `${user(payload)} ${past(action)} ${link(title, thing.get('url'))}.${quote(shown)}`,
  };
}

function note(payload: Payload): HookMessage {
  const thing = payload.get('object_attributes');
  const [kind, subject, sign] = payload.get('merge_request').isThere
    ? (['MR', payload.get('merge_request'), '!'] as const)
    : (['issue', payload.get('issue'), '#'] as const);
  const on = subject.isThere
    ? `${kind} ${sign}${subject.get('iid').text()} ${subject.get('title').text()}`
    : '';
  const where = on === '' ? inline(thing.get('noteable_type').textOr('a commit')) : bold(on);
  return {
    topic: on === '' ? project(payload) : `${project(payload)} / ${on}`,
    content: `${user(payload)} ${link('commented', thing.get('url'))} on ${where}:${quote(thing.get('note').text())}`,
  };
}

function status(word: string): string {
  if (word === 'success') return 'passed';
  return word === 'failed' ? '**failed**' : `is ${spaced(word)}`;
}

function pipeline(payload: Payload): HookMessage {
  const thing = payload.get('object_attributes');
  const failed = payload
    .get('builds')
    .list.filter((build) => build.get('status').textOr('') === 'failed');
  const lines = listed(failed, (build) => `${inline(build.get('name').textOr('job'))} failed`);
  const address = `${payload.get('project', 'web_url').textOr('')}/-/pipelines/${thing.get('id').text()}`;
  return {
    topic: `${project(payload)} / ${thing.get('ref').text()}`,
    content: `${link(`Pipeline #${thing.get('id').text()}`, address)} ${status(thing.get('status').text())}.${lines}`,
  };
}
