import { byEvent, type HookMessage, type Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bodyHmac } from './signatures.js';
import { bold, inline, link, listed, quote } from './wording.js';

const { events, message } = byEvent({
  'jira:issue_created': (payload) => {
    const fields = payload.get('issue', 'fields');
    return about(
      payload,
      `${person(payload.get('user'))} created ${issueLink(payload)}.` +
        listed(
          [
            ['Priority', fields.get('priority', 'name')],
            ['Assignee', fields.get('assignee', 'displayName')],
          ].filter((pair): pair is [string, Payload] => (pair[1] as Payload).isThere),
          ([name, value]) => `${name}: ${bold(value.text())}`,
        ),
    );
  },
  'jira:issue_updated': updated,
  'jira:issue_deleted': (payload) =>
    about(payload, `${person(payload.get('user'))} deleted ${issueLink(payload)}.`),
  comment_created: (payload) => comment(payload, 'commented on'),
  comment_updated: (payload) => comment(payload, 'changed a comment on'),
  comment_deleted: (payload) => comment(payload, 'deleted a comment on'),
});

export const jira: Integration = {
  name: 'jira',
  displayName: 'Jira',
  docs: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
  events,
  signature: bodyHmac('x-hub-signature', 'sha256='),
  eventOf: ({ payload }) => payload.get('webhookEvent').text(),
  message,
};

function person(user: Payload): string {
  return inline(user.get('displayName').textOr(user.get('name').textOr('Somebody')));
}

function titleOf(payload: Payload): string {
  const key = payload.get('issue', 'key').text();
  return `${key}: ${payload.get('issue', 'fields', 'summary').textOr('')}`;
}

/** The page of an issue is beside the address of its data, which the payload has. */
function issueLink(payload: Payload): string {
  const self = payload.get('issue', 'self').textOr('');
  const site = /^https?:\/\/[^/]+(?:\/(?!rest\/)[^/]+)*(?=\/rest\/)/.exec(self)?.[0];
  const key = payload.get('issue', 'key').text();
  const address = site === undefined ? '' : `${site}/browse/${encodeURIComponent(key)}`;
  return link(titleOf(payload), address);
}

function about(payload: Payload, content: string): HookMessage {
  return { topic: titleOf(payload), content };
}

function updated(payload: Payload): HookMessage | null {
  const changes = payload.get('changelog', 'items').list;
  // Comments have events of their own.
  if (changes.length === 0) return null;
  return about(
    payload,
    `${person(payload.get('user'))} updated ${issueLink(payload)}:${listed(changes, changed)}`,
  );
}

function changed(item: Payload): string {
  const to = item.get('toString').textOr('');
  const from = item.get('fromString').textOr('');
  const what = inline(item.get('field').textOr('a field'));
  if (to === '') return `${what} was removed${from === '' ? '' : ` (${inline(from)})`}`;
  return `${what} is now ${bold(to)}${from === '' ? '' : ` (was ${inline(from)})`}`;
}

function comment(payload: Payload, verb: string): HookMessage {
  const author = payload.get('comment', 'updateAuthor');
  const who = author.isThere ? author : payload.get('comment', 'author');
  return about(
    payload,
    `${person(who)} ${verb} ${issueLink(payload)}:${quote(payload.get('comment', 'body').textOr(''))}`,
  );
}
