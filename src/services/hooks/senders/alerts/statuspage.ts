import { sender } from '../../sender.js';

export const statuspage = sender({
  name: 'statuspage',
  displayName: 'Statuspage',
  docs: 'https://support.atlassian.com/statuspage/docs/enable-webhook-notifications/',
  event: '<<{incident.id:=incident}>><<{component_update.id:=component}>>',
  topic: '{incident.name|component.name}',
  events: {
    incident:
      '[{incident.name}](incident.shortlink): {incident.status:spaced:bold}.' +
      '<<\n* Impact: {incident.impact}>><<{incident.incident_updates.0.body:quote}>>',
    component:
      '{component.name:bold} is {component_update.new_status:spaced:bold} (was {component_update.old_status:spaced}).',
  },
});
