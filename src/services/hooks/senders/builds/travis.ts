import { sender } from '../../sender.js';

const BUILD =
  'Build [{repository.name} #{number}](build_url) on {branch:code}: {status_message|state:lower:bold}.';
const COMMIT = '\n* [{message:first}](compare_url)<< by {author_name}>>';

export const travis = sender({
  name: 'travis',
  displayName: 'Travis CI',
  docs: 'https://docs.travis-ci.com/user/notifications/#configuring-webhook-notifications',
  event: "{type|'push'}",
  topic: '{repository.name} / {branch}',
  events: {
    'push, cron, api': BUILD + COMMIT,
    pull_request: {
      topic: '{repository.name} / PR #{pull_request_number} {pull_request_title}',
      text: BUILD + COMMIT,
    },
  },
});
