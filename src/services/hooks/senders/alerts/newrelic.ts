import { sender } from '../../sender.js';

const ISSUE = '[{title|details|condition_name}](issueUrl|incident_url)';
const MORE =
  '<<\n* Priority: {priority|severity:lower}>><<\n* Condition: {alertConditionNames.0|condition_name}>>' +
  '<<\n* Owner: {owner}>><<\n[Runbook](runbook_url)>>';

/** Workflows (`state`), and the channels that were before them (`current_state`). */
export const newrelic = sender({
  name: 'newrelic',
  displayName: 'New Relic',
  docs: 'https://docs.newrelic.com/docs/alerts/get-notified/notification-integrations/#webhook',
  event: '{state|current_state:lower}',
  topic: "{alertPolicyNames.0|policy_name|'New Relic'}",
  events: {
    'created, activated, open': `Issue ${ISSUE} is **{$event}**.${MORE}`,
    acknowledged: `Issue ${ISSUE} was **acknowledged**.${MORE}`,
    closed: `Issue ${ISSUE} is **closed**.${MORE}`,
    deactivated: `Issue ${ISSUE} is **deactivated**.${MORE}`,
  },
});
