import type { Integration } from './integration.js';
import type { Payload } from './payload.js';
import { bold, code, inline, link } from './wording.js';

/** https://plugins.jenkins.io/notification/ */
export const jenkins: Integration = {
  name: 'jenkins',
  displayName: 'Jenkins',
  events: ['STARTED', 'COMPLETED'],
  docs: 'https://plugins.jenkins.io/notification/',
  // Builds are queued before they start, and finalized a moment after they are completed, with nothing new.
  quiet: ['QUEUED', 'FINALIZED'],
  eventOf: ({ payload }) => payload.get('build', 'phase').text(),
  message: (event, payload) => {
    if (event !== 'STARTED' && event !== 'COMPLETED') return null;
    const build = payload.get('build');
    const name = payload.get('display_name').textOr(payload.get('name').text());
    const title = link(`${name} #${build.get('number').text()}`, build.get('full_url'));
    const branch = build.get('scm', 'branch').textOr('');
    const on = branch === '' ? '' : ` on ${code(branch)}`;
    if (event === 'STARTED') return { topic: name, content: `Build ${title}${on} started.` };
    const outcome = build.get('status').text().toLowerCase().replaceAll('_', ' ');
    const seconds = Math.round(build.get('duration').number / 1000);
    const took = seconds > 0 ? ` after ${seconds} s` : '';
    const log = outcome === 'success' ? '' : lastOf(build.get('log'));
    return { topic: name, content: `Build ${title}${on}: ${bold(outcome)}${took}.${log}` };
  },
};

/** The last line of a log. */
function lastOf(log: Payload): string {
  const line = log.lastLine;
  return line === '' ? '' : `\n* ${inline(line)}`;
}
