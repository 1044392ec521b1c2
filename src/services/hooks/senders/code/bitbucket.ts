import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

const ACTOR = "{actor.display_name|actor.nickname|'Somebody'}";
const PR = '[PR #{pullrequest.id} {pullrequest.title}](pullrequest.links.html.href)';
const PR_TOPIC = '{repository.name} / PR #{pullrequest.id} {pullrequest.title}';
const ISSUE = '[issue #{issue.id} {issue.title}](issue.links.html.href)';
const ISSUE_TOPIC = '{repository.name} / issue #{issue.id} {issue.title}';
const BRANCH_TOPIC = '{repository.name} / {push.changes.0.new.name|push.changes.0.old.name}';

const onPullRequest = (text: string) => ({ topic: PR_TOPIC, text: `${ACTOR} ${text}` });
const onIssue = (text: string) => ({ topic: ISSUE_TOPIC, text: `${ACTOR} ${text}` });

export const bitbucket = sender({
  name: 'bitbucket2',
  otherNames: ['bitbucket'],
  displayName: 'Bitbucket',
  docs: 'https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/',
  event: '{#x-event-key}',
  signature: bodyHmac('x-hub-signature', 'sha256='),
  topic: '{repository.name}',
  events: {
    'repo:push': [
      {
        when: 'push.changes.1',
        text: `${ACTOR} pushed {push.changes:count change} to [{repository.full_name}](repository.links.html.href).\n`,
        each: ['push.changes', "{new.type|old.type|'branch'} {new.name|old.name:code}"],
      },
      {
        when: 'push.changes.0.closed',
        topic: BRANCH_TOPIC,
        text: `${ACTOR} deleted {push.changes.0.old.type|'branch'} {push.changes.0.old.name:code}.`,
      },
      {
        when: 'push.changes.0.new.type=tag',
        text: `${ACTOR} pushed tag {push.changes.0.new.name:code}.`,
      },
      {
        topic: BRANCH_TOPIC,
        text:
          `${ACTOR} [pushed](push.changes.0.links.html.href) ` +
          '{push.changes.0.commits:count commit} to branch {push.changes.0.new.name:code}.\n',
        each: ['push.changes.0.commits', '{message:first} ([{hash:short}](links.html.href))'],
      },
    ],
    'repo:fork': `${ACTOR} forked the repository to [{fork.full_name}](fork.links.html.href).`,
    'repo:commit_comment_created': `${ACTOR} [commented](comment.links.html.href) on {commit.hash:short:code}:<<{comment.content.raw:quote}>>`,
    'repo:commit_status_created, repo:commit_status_updated':
      '[{commit_status.name|commit_status.key}](commit_status.url): {commit_status.state:lower:bold}<<. {commit_status.description}>>',
    'issue:created': onIssue(`created ${ISSUE}.<<{issue.content.raw:quote}>>`),
    'issue:updated': onIssue(`updated ${ISSUE}.`),
    'issue:comment_created': onIssue(
      `[commented](comment.links.html.href) on ${ISSUE}:<<{comment.content.raw:quote}>>`,
    ),
    'pullrequest:created': onPullRequest(
      `created ${PR} from {pullrequest.source.branch.name:code} to {pullrequest.destination.branch.name:code}.<<{pullrequest.description:quote}>>`,
    ),
    'pullrequest:updated': onPullRequest(`updated ${PR}.`),
    'pullrequest:approved': onPullRequest(`approved ${PR}.`),
    'pullrequest:unapproved': onPullRequest(`took back the approval of ${PR}.`),
    'pullrequest:fulfilled': onPullRequest(`merged ${PR}.`),
    'pullrequest:rejected': onPullRequest(`declined ${PR}.<<{pullrequest.reason:quote}>>`),
    'pullrequest:comment_created': onPullRequest(
      `[commented](comment.links.html.href) on ${PR}:<<{comment.content.raw:quote}>>`,
    ),
    'pullrequest:comment_updated': onPullRequest(`changed a comment on ${PR}.`),
    'pullrequest:comment_deleted': onPullRequest(`deleted a comment on ${PR}.`),
  },
  quiet: ['repo:updated'],
});
