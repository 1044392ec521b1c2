import { sender } from '../../sender.js';

export const pingdom = sender({
  name: 'pingdom',
  displayName: 'Pingdom',
  docs: 'https://pingdom.com/resources/webhooks/',
  event: '{current_state}',
  topic: '{check_name}',
  events: {
    'UP, DOWN, UNKNOWN, PAUSED, SUCCESS, FAILING, UNCONFIRMED_DOWN':
      '{check_name:bold} is {current_state:spaced:lower:bold}<< (was {previous_state:lower})>>.' +
      '<<\n* Check: {check_type} {check_params.full_url|check_params.hostname:code}>>' +
      '<<\n* {long_description|description}>>',
  },
});
