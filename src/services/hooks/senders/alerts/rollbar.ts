import { sender } from '../../sender.js';

const ITEM = '[#{data.item.counter} {data.item.title}](data.url)';
const MORE =
  '<<\n* Environment: {data.item.environment}>><<\n* Level: {data.item.last_occurrence.level}>>';

export const rollbar = sender({
  name: 'rollbar',
  displayName: 'Rollbar',
  docs: 'https://docs.rollbar.com/docs/webhooks',
  event: '{event_name}',
  topic: "{data.item.environment|data.deploy.environment|'Rollbar'}",
  events: {
    test: { topic: 'Rollbar', text: 'The webhook of Rollbar works.' },
    new_item: `New error ${ITEM}.${MORE}`,
    occurrence: `Error ${ITEM} occurred.${MORE}`,
    exp_repeat_item: `Error ${ITEM} has occurred {data.item.total_occurrences} times.${MORE}`,
    item_velocity: `Error ${ITEM} occurs often.${MORE}`,
    reactivated_item: `Error ${ITEM} occurred again.${MORE}`,
    reopened_item: `Error ${ITEM} was reopened.`,
    resolved_item: `Error ${ITEM} was resolved.`,
    deploy:
      "{data.deploy.local_username|'Somebody'} deployed {data.deploy.revision:short:code} to {data.deploy.environment:bold}<<: {data.deploy.comment}>>.",
  },
});
