import { sender } from '../../sender.js';

/** What Buildbot's own reporter ZulipStatusPush sends. */
export const buildbot = sender({
  name: 'buildbot',
  displayName: 'Buildbot',
  docs: 'https://docs.buildbot.net/latest/manual/configuration/reporters/zulip_status.html',
  event: '{event}',
  topic: '{project|buildername}',
  words: {
    results: {
      '0': 'success',
      '1': 'warnings',
      '2': 'failure',
      '3': 'skipped',
      '4': 'exception',
      '5': 'retry',
      '6': 'cancelled',
    },
  },
  events: {
    new: 'Build [#{buildid}](url) of {buildername:bold} started.',
    finished: 'Build [#{buildid}](url) of {buildername:bold}: {results:@results:bold}.',
  },
});
