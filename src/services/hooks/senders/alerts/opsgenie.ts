import { sender } from '../../sender.js';

const ALERT =
  'alert [{alert.message}](https://app.opsgenie.com/alert/detail/{alert.alertId}/details)';

export const opsgenie = sender({
  name: 'opsgenie',
  displayName: 'Opsgenie',
  docs: 'https://support.atlassian.com/opsgenie/docs/opsgenie-edge-connector-alert-action-data/',
  event: '{action}',
  topic: "{integrationName|'Opsgenie'}",
  events: {
    Create: `New ${ALERT}.<<\n* Priority: {alert.priority}>><<\n* Source: {alert.source}>><<\n* Entity: {alert.entity}>>`,
    Acknowledge: `{alert.username} acknowledged ${ALERT}.`,
    UnAcknowledge: `{alert.username} took back the acknowledgement of ${ALERT}.`,
    Close: `{alert.username} closed ${ALERT}.`,
    Delete: `{alert.username} deleted ${ALERT}.`,
    Escalate: `The ${ALERT} was escalated<< to {alert.escalationName:bold}>>.`,
    AddNote: `{alert.username} added a note to ${ALERT}:<<{alert.note:quote}>>`,
    AddTags: `{alert.username} added tags to ${ALERT}: {alert.addedTags}.`,
    RemoveTags: `{alert.username} removed tags from ${ALERT}: {alert.removedTags}.`,
    AddRecipient: `{alert.username} added the recipient {alert.recipient:bold} to ${ALERT}.`,
    AddTeam: `{alert.username} added the team {alert.team:bold} to ${ALERT}.`,
    AssignOwnership: `{alert.username} made {alert.owner:bold} the owner of ${ALERT}.`,
    TakeOwnership: `{alert.username} took ownership of ${ALERT}.`,
    Snooze: `{alert.username} snoozed ${ALERT}.`,
    UpdatePriority: `The priority of ${ALERT} is now {alert.priority}.`,
  },
});
