import { sender } from '../../sender.js';

const BUILD = '[{build.buildFullName} {build.buildNumber}](build.buildStatusUrl)';

/** What the plugin tcWebHooks sends. */
export const teamcity = sender({
  name: 'teamcity',
  displayName: 'TeamCity',
  docs: 'https://github.com/tcplugins/tcWebHooks/wiki',
  event: '{build.notifyType}',
  topic: '{build.projectName}',
  events: {
    buildStarted: `Build ${BUILD} started.`,
    buildFinished: `Build ${BUILD}: {build.buildResult:bold} ({build.buildStatus}).`,
    'buildInterrupted, beforeBuildFinish': `Build ${BUILD}: {build.buildStateDescription}.`,
  },
  quiet: ['changesLoaded', 'buildAddedToQueue', 'buildRemovedFromQueue'],
});
