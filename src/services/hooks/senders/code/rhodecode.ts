import { sender } from '../../sender.js';

const WHO = "{event.actor.username|'Somebody'}";
const PR =
  '[PR #{event.pullrequest.pull_request_id} {event.pullrequest.title}](event.pullrequest.url)';

const onPullRequest = (text: string) => ({
  topic:
    '{event.repo.repo_name} / PR #{event.pullrequest.pull_request_id} {event.pullrequest.title}',
  text: `${WHO} ${text}`,
});

export const rhodecode = sender({
  name: 'rhodecode',
  displayName: 'RhodeCode',
  docs: 'https://docs.rhodecode.com/4.x/rce/integrations/webhook.html',
  event: '{event.name}',
  topic: '{event.repo.repo_name}',
  events: {
    'repo-push': {
      topic: '{event.repo.repo_name}<< / {event.push.branches.0.name}>>',
      text: `${WHO} pushed {event.push.commits:count commit}<< to {event.push.branches.0.name:code}>>.\n`,
      each: ['event.push.commits', '{message:first} ([{short_id|raw_id:short}](url))'],
    },
    'repo-create': `${WHO} created the repository [{event.repo.repo_name}](event.repo.url).`,
    'repo-delete': `${WHO} deleted the repository {event.repo.repo_name:bold}.`,
    'repo-commit-comment': `${WHO} commented on {event.commit.commit_short_id|event.commit.commit_id:short:code}:<<{event.comment.comment_text:quote}>>`,
    'pullrequest-create': onPullRequest(`opened ${PR}.<<{event.pullrequest.description:quote}>>`),
    'pullrequest-update': onPullRequest(`updated ${PR}.`),
    'pullrequest-merge': onPullRequest(`merged ${PR}.`),
    'pullrequest-close': onPullRequest(`closed ${PR}.`),
    'pullrequest-review': onPullRequest(
      `reviewed ${PR}<<: {event.pullrequest.status:spaced:bold}>>.`,
    ),
    'pullrequest-comment': onPullRequest(
      `commented on ${PR}:<<{event.comment.comment_text|event.comment.text:quote}>>`,
    ),
  },
  quiet: ['repo-pre-*', 'repo-pull', 'pullrequest-pre-*', 'user-*'],
});
