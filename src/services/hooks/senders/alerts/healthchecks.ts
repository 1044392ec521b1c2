import { sender } from '../../sender.js';

/** A webhook whose request body is the placeholder `$JSON`. Its addresses for pings are secrets, so none is shown. */
export const healthchecks = sender({
  name: 'healthchecks',
  displayName: 'Healthchecks',
  docs: 'https://healthchecks.io/docs/configuring_notifications/',
  event: '{status|check.status}',
  topic: '{name|check.name|slug|check.slug}',
  events: {
    'up, down, grace, paused, new':
      "{name|check.name|slug|check.slug|'The check':bold} is {$event:bold}." +
      '<<\n* Last ping: {last_ping|check.last_ping}>><<\n* Tags: {tags|check.tags}>>' +
      '<<{desc|check.desc:quote}>>',
  },
});
