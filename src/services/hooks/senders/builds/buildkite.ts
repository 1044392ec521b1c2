import { sender } from '../../sender.js';
import { sharedToken } from '../../signatures.js';

const BUILD = '[{pipeline.name} #{build.number}](build.web_url)';

export const buildkite = sender({
  name: 'buildkite',
  displayName: 'Buildkite',
  docs: 'https://buildkite.com/docs/apis/webhooks/pipelines',
  event: '{#x-buildkite-event}',
  signature: sharedToken('x-buildkite-token'),
  topic: '{pipeline.name} / {build.branch}',
  events: {
    ping: { topic: 'Buildkite', text: 'The webhook of Buildkite works.' },
    'build.running': `Build ${BUILD} started<<: {build.message:first}>>.`,
    'build.finished':
      `Build ${BUILD}: {build.state:bold}.` + '<<\n* {build.message:first}>><< by {sender.name}>>',
    'build.failing': `Build ${BUILD} is **failing**.`,
    'build.skipped': `Build ${BUILD} was skipped.`,
  },
  quiet: ['build.scheduled', 'job.*', 'agent.*'],
});
