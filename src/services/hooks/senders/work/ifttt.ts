import { sender } from '../../sender.js';

/** What an applet is told to send with "Make a web request". */
export const ifttt = sender({
  name: 'ifttt',
  displayName: 'IFTTT',
  docs: 'https://ifttt.com/maker_webhooks',
  event: '',
  topic: '{topic|subject}',
  events: { '': '{content:markdown}' },
});
