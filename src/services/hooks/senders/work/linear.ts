import { sender } from '../../sender.js';
import { bodyHmac } from '../../signatures.js';

const WHO = "{actor.name|'Somebody'}";
const ISSUE = 'issue [{data.identifier|data.number} {data.title}](url)';
const ISSUE_TOPIC =
  "{data.identifier|data.number|data.issue.identifier|'Linear'}<<: {data.title|data.issue.title}>>";

export const linear = sender({
  name: 'linear',
  displayName: 'Linear',
  docs: 'https://linear.app/developers/webhooks',
  event: '<<{type:lower}_{action}>>',
  signature: bodyHmac('linear-signature'),
  topic: ISSUE_TOPIC,
  events: {
    issue_create: `${WHO} created ${ISSUE}.<<\n* State: {data.state.name}>><<\n* Priority: {data.priorityLabel}>><<{data.description:quote}>>`,
    issue_update: [
      {
        when: 'updatedFrom.stateId',
        text: `${WHO} moved ${ISSUE}<< to {data.state.name:bold}>>.`,
      },
      { when: 'updatedFrom.title', text: `${WHO} renamed ${ISSUE} (was {updatedFrom.title}).` },
      {
        when: 'updatedFrom.priority',
        text: `${WHO} changed the priority of ${ISSUE}<< to {data.priorityLabel:bold}>>.`,
      },
      {
        when: 'data.assignee.name & updatedFrom.assigneeId',
        text: `${WHO} assigned ${ISSUE} to {data.assignee.name:bold}.`,
      },
    ],
    issue_remove: `${WHO} deleted ${ISSUE}.`,
    comment_create: `${WHO} [commented](url)<< on {data.issue.title:bold}>>:<<{data.body:quote}>>`,
    comment_update: `${WHO} changed a [comment](url)<< on {data.issue.title:bold}>>:<<{data.body:quote}>>`,
    project_create: {
      topic: '{data.name}',
      text: `${WHO} created the project [{data.name}](url).`,
    },
    projectupdate_create: {
      topic: "{data.project.name|'Linear'}",
      text: `${WHO} posted an [update](url)<< of {data.project.name:bold}>>:<<{data.body:quote}>>`,
    },
  },
  quiet: [
    'reaction_*',
    'issuelabel_*',
    'attachment_*',
    'comment_remove',
    'project_*',
    'cycle_*',
    'document_*',
  ],
});
