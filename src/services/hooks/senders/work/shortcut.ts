import { sender } from '../../sender.js';

const THING = '{actions.0.entity_type:spaced} [{actions.0.name}](actions.0.app_url)';

/** The service names people and states by ids, which say nothing here. */
export const shortcut = sender({
  name: 'clubhouse',
  otherNames: ['shortcut'],
  displayName: 'Shortcut',
  docs: 'https://developer.shortcut.com/api/webhook/v1',
  event: '<<{actions.0.entity_type}_{actions.0.action}>>',
  topic: "{actions.0.name|'Shortcut'}",
  events: {
    'story_create, epic_create': `New ${THING}.<<{actions.0.description:quote}>>`,
    'story_delete, epic_delete': 'The {actions.0.entity_type} {actions.0.name:bold} was deleted.',
    'story_update, epic_update': [
      { when: 'actions.0.changes.archived.new', text: `The ${THING} was archived.` },
      {
        when: 'actions.0.changes.name',
        text: `The ${THING} has a new name (was {actions.0.changes.name.old}).`,
      },
      { when: 'actions.0.changes.completed.new', text: `The ${THING} was **completed**.` },
      { when: 'actions.0.changes.started.new', text: `The ${THING} was **started**.` },
      {
        when: 'actions.0.changes.description.new',
        text: `The ${THING} has a new description.{actions.0.changes.description.new:quote}`,
      },
      { when: 'actions.0.changes.workflow_state_id', text: `The state of the ${THING} changed.` },
    ],
    'story-comment_create': {
      topic: "{actions.1.name|'Shortcut'}",
      text: 'New [comment](actions.0.app_url)<< on {actions.1.name:bold}>>:<<{actions.0.text:quote}>>',
    },
    'story-task_create': {
      topic: "{actions.1.name|'Shortcut'}",
      text: 'New task<< of {actions.1.name:bold}>>: {actions.0.description}.',
    },
  },
  quiet: [
    'story-task_*',
    'story-comment_*',
    'branch_*',
    'pull-request_*',
    'label_*',
    'iteration_*',
  ],
});
