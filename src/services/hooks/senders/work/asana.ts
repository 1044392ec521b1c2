import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

/*
 * Asana names things by number alone, and puts many changes into one request: the numbers lead to their pages.
 */
const THING =
  '[{resource.resource_subtype|resource.resource_type:spaced} {resource.gid}](https://app.asana.com/0/0/{resource.gid})';

export const asana = sender({
  name: 'asana',
  displayName: 'Asana',
  docs: 'https://developers.asana.com/docs/webhooks-guide',
  event: '',
  topic: 'Asana',
  echoed: { header: 'x-hook-secret' },
  signature: bodyHmac('x-hook-signature'),
  events: {
    '': [
      {
        when: 'events.0',
        text: 'Changes in Asana:',
        each: [
          'events',
          `${THING} was {action}<<: {change.field:spaced}>><< in {parent.resource_type} {parent.gid}>>`,
        ],
      },
    ],
  },
});
