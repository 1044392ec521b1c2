import { sender } from '../../sender.js';

export const appveyor = sender({
  name: 'appveyor',
  displayName: 'AppVeyor',
  docs: 'https://www.appveyor.com/docs/notifications/#webhook-payload-default',
  event: '{eventName}',
  topic: '{eventData.projectName}',
  events: {
    'build_success, build_failure':
      'Build [{eventData.projectName} {eventData.buildVersion}](eventData.buildUrl) on ' +
      '{eventData.branch:code}: {eventData.status:lower:bold}.' +
      '<<\n* {eventData.commitMessage:first}>><< by {eventData.commitAuthor}>>',
  },
});
