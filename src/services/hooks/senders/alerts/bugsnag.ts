import { sender } from '../../sender.js';

const ERROR = '[{error.exceptionClass}](error.url)<<: {error.message}>>';
const MORE =
  '<<\n* In: {error.context}>><<\n* Severity: {error.severity}>><<\n* Stage: {error.releaseStage|error.app.releaseStage}>>';
const WHO = "{user.name|user.email|'Somebody'}";

export const bugsnag = sender({
  name: 'bugsnag',
  displayName: 'Bugsnag',
  docs: 'https://docs.bugsnag.com/product/integrations/data-forwarding/webhook/',
  event: '{trigger.type}',
  topic: '{project.name}',
  events: {
    firstException: `New error ${ERROR}${MORE}`,
    exception: `Error ${ERROR}${MORE}`,
    powerTen: `Error ${ERROR} occurs often<<: {trigger.message}>>.${MORE}`,
    reopened: `Error ${ERROR} was reopened<< ({trigger.message})>>.`,
    errorEventFrequency: `Error ${ERROR} occurs often<<: {trigger.message}>>.${MORE}`,
    projectSpiking: '[{project.name}](project.url) has a spike of errors<<: {trigger.message}>>.',
    comment: `${WHO} commented on ${ERROR}:<<{comment.message:quote}>>`,
    errorStateManualChange: `${WHO} changed the state of ${ERROR}<< to {trigger.stateChange|error.status:spaced:bold}>>.`,
    release:
      '[{project.name}](project.url) has a new release<< {release.version:bold}>><< to {release.releaseStage:bold}>>.',
  },
});
