import { sender } from '../../sender.js';
import { anyBodyHmac } from '../../signatures.js';

const ON =
  '<< on {pipeline.vcs.branch|pipeline.vcs.tag|pipeline.trigger_parameters.git.branch:code}>>';
const COMMIT =
  '<<\n* {pipeline.vcs.commit.subject}>><< by {pipeline.vcs.commit.author.name|pipeline.vcs.commit.author.login}>>';

export const circleci = sender({
  name: 'circleci',
  displayName: 'CircleCI',
  docs: 'https://circleci.com/docs/webhooks/',
  event: '{type}',
  signature: anyBodyHmac('circleci-signature'),
  topic: '{project.name}',
  events: {
    ping: { topic: 'CircleCI', text: 'The webhook {webhook.name:bold} of CircleCI works.' },
    'workflow-completed': `Workflow [{workflow.name}](workflow.url) #{pipeline.number}${ON}: {workflow.status:bold}.${COMMIT}`,
    'job-completed': `Job {job.name:bold} of workflow [{workflow.name}](workflow.url) #{pipeline.number}${ON}: {job.status:bold}.`,
  },
});
