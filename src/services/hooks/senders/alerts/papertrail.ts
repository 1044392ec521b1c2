import { sender } from '../../sender.js';

export const papertrail = sender({
  name: 'papertrail',
  displayName: 'Papertrail',
  docs: 'https://www.papertrail.com/help/webhooks/',
  event: '<<{saved_search.id:=events}>>',
  topic: "{saved_search.name|'Papertrail'}",
  events: {
    events: {
      text: 'The search [{saved_search.name}](saved_search.html_search_url) found {events:count event}.\n',
      each: ['events', "{display_received_at} {hostname:bold}<< {program}>>: {message|''}"],
    },
  },
});
