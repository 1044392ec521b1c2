import { sender } from '../../sender.js';

/**
 * Messages of a Slack channel: the form of outgoing webhooks, and events of an app. Events name people and channels by
 * ids. What Slack's own bot and others say is left out, so that two services cannot answer each other for ever.
 */
export const slack = sender({
  name: 'slack',
  displayName: 'Slack',
  docs: 'https://docs.slack.dev/legacy/legacy-custom-integrations/legacy-custom-integrations-outgoing-webhooks/',
  event: '',
  challenge: 'challenge',
  topic: 'channel: {channel_name|event.channel}',
  events: {
    '': [
      {
        when: 'text & user_name & user_name!=slackbot & !bot_id',
        text: '{user_name:bold}: {text:slack:markdown}',
      },
      {
        when: 'event.type=message|app_mention & event.text & !event.subtype & !event.bot_id',
        text: '{event.user:bold}: {event.text:slack:markdown}',
      },
    ],
  },
});
