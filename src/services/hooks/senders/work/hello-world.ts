import { sender } from '../../sender.js';

/** The example with which the guides to writing a sender begin. */
export const helloWorld = sender({
  name: 'helloworld',
  displayName: 'Hello World',
  docs: 'https://zulip.com/api/incoming-webhooks-walkthrough',
  event: '',
  topic: 'Hello World',
  events: {
    '': 'Hello! The featured article of today is [{featured_title}](featured_url).',
  },
});
