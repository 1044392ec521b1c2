import { sender, type SenderTable } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

const ACTOR = "{sender.login|sender.username|pusher.login|'Somebody'}";
const ISSUE = '[issue #{issue.number} {issue.title}](issue.html_url)';
const ISSUE_TOPIC = '{repository.name} / issue #{issue.number} {issue.title}';
const PR = '[PR #{pull_request.number|number} {pull_request.title}](pull_request.html_url)';
const PR_TOPIC = '{repository.name} / PR #{pull_request.number|number} {pull_request.title}';

const onPullRequest = (text: string) => ({ topic: PR_TOPIC, text: `${ACTOR} ${text}` });

const table: SenderTable = {
  name: 'gitea',
  displayName: 'Gitea',
  docs: 'https://docs.gitea.com/usage/webhooks',
  event: '{#x-gitea-event}',
  signature: bodyHmac('x-gitea-signature'),
  topic: '{repository.name}',
  words: {
    action: {
      assigned: 'assigned somebody to',
      demilestoned: 'took the milestone from',
      label_cleared: 'took the labels from',
      label_updated: 'changed the labels of',
      milestoned: 'set the milestone of',
      synchronized: 'updated',
      unassigned: 'took everybody from',
    },
    comment: { created: 'commented', deleted: 'deleted a comment', edited: 'changed a comment' },
  },
  events: {
    push: {
      topic: '{repository.name} / {ref:branch}',
      text:
        '{pusher.login|pusher.username|sender.login} [pushed](compare_url|repository.html_url) ' +
        '{commits:count commit} to branch {ref:branch:code}.\n',
      each: ['commits', '{message:first} ([{id:short}](url))'],
    },
    create: `${ACTOR} created {ref_type} {ref:branch:code}.`,
    delete: `${ACTOR} deleted {ref_type} {ref:branch:code}.`,
    fork: {
      topic: '{forkee.name}',
      text: `${ACTOR} forked {forkee.full_name:bold} to [{repository.full_name}](repository.html_url).`,
    },
    issues: [
      {
        when: 'action=opened',
        topic: ISSUE_TOPIC,
        text: `${ACTOR} opened ${ISSUE}.<<{issue.body:quote}>>`,
      },
      { topic: ISSUE_TOPIC, text: `${ACTOR} {action:@action} ${ISSUE}.` },
    ],
    'issue_comment, pull_request_comment': [
      {
        when: 'issue.pull_request',
        topic: '{repository.name} / PR #{issue.number} {issue.title}',
        text: `${ACTOR} [{action:@comment}](comment.html_url) on [PR #{issue.number} {issue.title}](issue.html_url):<<{comment.body:quote}>>`,
      },
      {
        when: 'issue',
        topic: ISSUE_TOPIC,
        text: `${ACTOR} [{action:@comment}](comment.html_url) on ${ISSUE}:<<{comment.body:quote}>>`,
      },
      onPullRequest(`[reviewed](pull_request.html_url) ${PR}:<<{review.content:quote}>>`),
    ],
    pull_request: [
      {
        when: 'action=opened',
        ...onPullRequest(
          `opened ${PR} from {pull_request.head.ref|pull_request.head_branch|'a branch':code} to {pull_request.base.ref|pull_request.base_branch|'a branch':code}.<<{pull_request.body:quote}>>`,
        ),
      },
      { when: 'action=closed & pull_request.merged', ...onPullRequest(`merged ${PR}.`) },
      { when: 'action=closed', ...onPullRequest(`closed ${PR} without merge.`) },
      onPullRequest(`{action:@action} ${PR}.`),
    ],
    pull_request_approved: onPullRequest(`approved ${PR}.<<{review.content:quote}>>`),
    pull_request_rejected: onPullRequest(`asked for changes of ${PR}.<<{review.content:quote}>>`),
    release: `${ACTOR} {action} release [{release.name|release.tag_name}](release.html_url|repository.html_url).<<{release.body:quote}>>`,
    repository: `${ACTOR} {action} the repository [{repository.full_name}](repository.html_url).`,
  },
};

export const gitea = sender(table);

/** Gitea began as a copy of Gogs, whose events it keeps. */
export const gogs = sender({
  ...table,
  name: 'gogs',
  displayName: 'Gogs',
  docs: 'https://gogs.io/docs/features/webhook',
  event: '{#x-gogs-event}',
  signature: bodyHmac('x-gogs-signature'),
});
