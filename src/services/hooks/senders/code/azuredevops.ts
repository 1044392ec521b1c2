import { sender } from '../../sender.js';

const PR_TOPIC = '{resource.repository.name} / PR #{resource.pullRequestId} {resource.title}';
const onPullRequest = { topic: PR_TOPIC, text: '{message.markdown|message.text:markdown}' };
const onWorkItem = {
  topic:
    "{resource.revision.fields.System.TeamProject|resource.fields.System.TeamProject|'Work items'}",
  text: '{message.markdown|message.text:markdown}',
};

/** The service says itself, in Markdown, what happened. */
export const azureDevOps = sender({
  name: 'azuredevops',
  displayName: 'Azure DevOps',
  docs: 'https://learn.microsoft.com/azure/devops/service-hooks/events',
  event: '{eventType}',
  topic: "{resource.repository.name|resource.definition.name|'Azure DevOps'}",
  events: {
    'git.push': {
      topic: '{resource.repository.name} / {resource.refUpdates.0.name:branch}',
      text: '{resource.pushedBy.displayName} pushed {resource.commits:count commit} to branch {resource.refUpdates.0.name:branch:code}.\n',
      each: ['resource.commits', '{comment:first} ([{commitId:short}](url))'],
    },
    'git.pullrequest.created': {
      topic: PR_TOPIC,
      text: '{message.markdown|message.text:markdown}<<{resource.description:quote}>>',
    },
    'git.pullrequest.updated, git.pullrequest.merged': onPullRequest,
    'build.complete': '{message.markdown|message.text:markdown}',
    'ms.vss-code.git-pullrequest-comment-event': {
      topic:
        '{resource.pullRequest.repository.name} / PR #{resource.pullRequest.pullRequestId} {resource.pullRequest.title}',
      text: '{message.markdown|message.text:markdown}<<{resource.comment.content:quote}>>',
    },
    'ms.vss-release.deployment-completed-event': '{message.markdown|message.text:markdown}',
    'workitem.created, workitem.updated, workitem.commented, workitem.deleted, workitem.restored':
      onWorkItem,
  },
});
