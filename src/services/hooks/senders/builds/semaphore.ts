import { sender } from '../../sender.js';

export const semaphore = sender({
  name: 'semaphore',
  displayName: 'Semaphore',
  docs: 'https://docs.semaphoreci.com/using-semaphore/webhooks',
  event: '{revision.reference_type}',
  topic: '{project.name} / {revision.branch.name|revision.tag.name|revision.reference:branch}',
  events: {
    'branch, tag, pull_request':
      'Pipeline {pipeline.name:bold} on {revision.reference:branch:code}: {pipeline.result:bold}' +
      '<< ({pipeline.result_reason:spaced})>>.' +
      '<<\n* {revision.commit_message:first}>><< by {revision.sender.login}>>' +
      '<<\n* {pipeline.error_description}>>',
  },
});
