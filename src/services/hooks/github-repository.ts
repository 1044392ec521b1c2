import type { EventFormatter, HookMessage } from './integration.js';
import type { Payload } from './payload.js';
import { bold, code, inline, link, listed, quote, spaced } from './wording.js';

/* What GitHub tells of a repository as a whole: its builds, deployments, pages and watchers, and who may do what. */

/** The repository of an event, or the organization where it is about that. */
export function repository(payload: Payload): string {
  return payload
    .get('repository', 'name')
    .textOr(payload.get('organization', 'login').textOr('GitHub'));
}

/** Who did it: an account, or a deploy key, which has a name alone. */
export function actor(payload: Payload): string {
  const sender = payload.get('sender', 'login');
  return inline((sender.isThere ? sender : payload.get('pusher', 'name')).text());
}

/** The beginning of the id of a commit, as long as pages show it. */
export function shortId(id: Payload): string {
  return id.text().slice(0, 11);
}

/** Formatters by kind of event. */
export const REPOSITORY_EVENTS: Readonly<Record<string, EventFormatter>> = {
  check_run: checkRun,
  deployment: (payload) => ({
    topic: deploymentTopic(payload),
    content: `${actor(payload)} started a deployment of ${deployed(payload)}.`,
  }),
  deployment_status: deploymentStatus,
  fork: (payload) =>
    told(
      payload,
      `forked ${bold(repository(payload))} to ` +
        link(payload.get('forkee', 'full_name').text(), payload.get('forkee', 'html_url')),
    ),
  gollum: (payload) => ({
    topic: `${repository(payload)} / wiki pages`,
    content:
      `${actor(payload)} changed the wiki:\n` +
      listed(
        payload.get('pages').list,
        (page) =>
          `${spaced(page.get('action').text())} ${link(page.get('title').text(), page.get('html_url'))}`,
      ),
  }),
  member,
  membership,
  page_build: pageBuild,
  public: (payload) => told(payload, `made ${linked(payload)} public`),
  repository: (payload) =>
    told(payload, `${spaced(payload.get('action').text())} the repository ${linked(payload)}`),
  sponsorship,
  star: (payload) => {
    const verb = payload.get('action').text() === 'created' ? 'starred' : 'unstarred';
    return told(payload, `${verb} ${linked(payload)}`);
  },
  status,
  team,
  team_add: (payload) => told(payload, `added the team ${teamName(payload)} to ${linked(payload)}`),
  // GitHub's name of it is older than watching: it says that somebody gave a star.
  watch: (payload) => told(payload, `starred ${linked(payload)}`),
};

function told(payload: Payload, did: string, topic = repository(payload)): HookMessage {
  return { topic, content: `${actor(payload)} ${did}.` };
}

function linked(payload: Payload): string {
  return link(repository(payload), payload.get('repository', 'html_url'));
}

function checkRun(payload: Payload): HookMessage | null {
  const run = payload.get('check_run');
  if (run.get('status').text() !== 'completed') return null;
  return {
    topic: `${repository(payload)} / checks`,
    content:
      `${link(run.get('name').text(), run.get('html_url'))} on ${code(shortId(run.get('head_sha')))}: ` +
      `${bold(spaced(run.get('conclusion').textOr('completed')))}.`,
  };
}

function deploymentTopic(payload: Payload): string {
  return `${repository(payload)} / deployment to ${payload.get('deployment', 'environment').text()}`;
}

function deployed(payload: Payload): string {
  const deployment = payload.get('deployment');
  return `${code(deployment.get('ref').text())} to ${bold(deployment.get('environment').text())}`;
}

function deploymentStatus(payload: Payload): HookMessage {
  const after = payload.get('deployment_status');
  const pages = [after.get('log_url'), after.get('target_url')];
  const page = pages.find((one) => one.isThere) ?? '';
  return {
    topic: deploymentTopic(payload),
    content:
      `${link('Deployment', page)} of ${deployed(payload)}: ` +
      `${bold(spaced(after.get('state').text()))}.${quote(after.get('description').textOr(''))}`,
  };
}

function person(one: Payload): string {
  return link(one.get('login').text(), one.get('html_url'));
}

function member(payload: Payload): HookMessage {
  const action = payload.get('action').text();
  const who = person(payload.get('member'));
  if (action === 'edited') {
    return told(payload, `changed what ${who} may do in ${linked(payload)}`);
  }
  return told(payload, `${spaced(action)} ${who} ${toOrFrom(action)} ${linked(payload)}`);
}

function toOrFrom(action: string): string {
  return action === 'removed' ? 'from' : 'to';
}

function teamName(payload: Payload): string {
  return bold(payload.get('team', 'name').text());
}

function membership(payload: Payload): HookMessage {
  const action = payload.get('action').text();
  const who = person(payload.get('member'));
  return told(
    payload,
    `${spaced(action)} ${who} ${toOrFrom(action)} the team ${teamName(payload)}`,
    payload.get('organization', 'login').text(),
  );
}

function team(payload: Payload): HookMessage | null {
  const topic = `team ${payload.get('team', 'name').text()}`;
  const action = payload.get('action').text();
  const name = teamName(payload);
  // An event of its own, `team_add`, tells the same.
  if (action === 'added_to_repository') return null;
  if (action === 'removed_from_repository') {
    return told(payload, `removed the team ${name} from ${linked(payload)}`, topic);
  }
  if (action !== 'edited') return told(payload, `${spaced(action)} the team ${name}`, topic);
  const before = payload.get('changes');
  if (before.get('name').isThere) {
    const old = bold(before.get('name', 'from').text());
    return told(payload, `renamed the team ${old} to ${name}`, topic);
  }
  if (before.get('description').isThere) {
    const said = payload.get('team', 'description').textOr('');
    const { content } = told(payload, `changed the description of the team ${name}`, topic);
    return { topic, content: content + quote(said) };
  }
  if (before.get('privacy').isThere) {
    const privacy = spaced(payload.get('team', 'privacy').text());
    return told(payload, `made the team ${name} ${privacy}`, topic);
  }
  return told(payload, `changed the team ${name}`, topic);
}

function pageBuild(payload: Payload): HookMessage {
  const build = payload.get('build');
  const failure = build.get('error', 'message').textOr('');
  return {
    topic: repository(payload),
    content:
      `Build of GitHub Pages by ${inline(build.get('pusher', 'login').text())}: ` +
      `${bold(spaced(build.get('status').textOr('queued')))}.${quote(failure)}`,
  };
}

function status(payload: Payload): HookMessage {
  const commit = link(shortId(payload.get('sha')), payload.get('commit', 'html_url'));
  const check = link(payload.get('context').textOr('Status'), payload.get('target_url'));
  return {
    topic: repository(payload),
    content:
      `${check} on ${commit}: ${bold(spaced(payload.get('state').text()))}.` +
      quote(payload.get('description').textOr('')),
  };
}

function sponsorship(payload: Payload): HookMessage {
  const tier = bold(payload.get('sponsorship', 'tier', 'name').text());
  const before = payload.get('changes');
  const date = payload.get('effective_date').textOr('').slice(0, 10);
  const when = date === '' ? '' : ` on ${inline(date)}`;
  const action = payload.get('action').text();
  const did: Record<string, () => string> = {
    created: () => `became a sponsor with ${tier}`,
    cancelled: () => `ended the sponsorship ${tier}`,
    pending_cancellation: () => `ends the sponsorship ${tier}${when}`,
    tier_changed: () =>
      `changed the sponsorship from ${bold(before.get('tier', 'from', 'name').text())} to ${tier}`,
    pending_tier_change: () =>
      `changes the sponsorship from ${bold(before.get('tier', 'from', 'name').text())} to ${tier}${when}`,
    edited: () =>
      `changed who sees the sponsorship from ${bold(before.get('privacy_level', 'from').text())} ` +
      `to ${bold(payload.get('sponsorship', 'privacy_level').text())}`,
  };
  const said = Object.hasOwn(did, action) ? did[action]!() : `${spaced(action)} the sponsorship`;
  return told(payload, said, 'sponsors');
}
