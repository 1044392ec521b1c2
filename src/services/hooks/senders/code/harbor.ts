import { sender } from '../../sender.js';

const RESOURCE = '{event_data.resources.0.resource_url:code}';

export const harbor = sender({
  name: 'harbor',
  displayName: 'Harbor',
  docs: 'https://goharbor.io/docs/latest/working-with-projects/project-configuration/configure-webhooks/',
  event: '{type}',
  topic: "{event_data.repository.repo_full_name|event_data.repository.name|'Harbor'}",
  events: {
    'PUSH_ARTIFACT, pushImage': `{operator} pushed the image ${RESOURCE}.`,
    'DELETE_ARTIFACT, deleteImage': `{operator} deleted the image ${RESOURCE}.`,
    'SCANNING_COMPLETED, scanningCompleted': `The image ${RESOURCE} was scanned.`,
    'SCANNING_FAILED, scanningFailed': `The scan of the image ${RESOURCE} **failed**.`,
    SCANNING_STOPPED: `The scan of the image ${RESOURCE} was stopped.`,
    'QUOTA_EXCEED, QUOTA_WARNING':
      'The quota of {event_data.repository.name:bold} is nearly used or exceeded:<<{event_data.custom_attributes.Details:quote}>>',
    REPLICATION: {
      topic: 'Replication',
      text: "The replication {event_data.replication.policy_name|'':bold} {event_data.replication.job_status|'ended':lower}.",
    },
    TAG_RETENTION: {
      topic: 'Retention',
      text: "The retention of tags {event_data.retention.status|'ended':lower}.",
    },
  },
  quiet: ['PULL_ARTIFACT', 'pullImage'],
});
