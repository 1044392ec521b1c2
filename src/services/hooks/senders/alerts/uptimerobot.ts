import { sender } from '../../sender.js';

const MONITOR = '[{monitor_friendly_name|monitorFriendlyName}](monitor_url|monitorURL)';
const DETAILS = '<<\n* {alert_details|alertDetails}>>';

/** The names that the service has, and those of the form that people are told to set up. */
export const uptimerobot = sender({
  name: 'uptimerobot',
  displayName: 'UptimeRobot',
  docs: 'https://uptimerobot.com/integrations/web-hooks-integration/',
  event: '{alert_type_friendly_name|alertTypeFriendlyName:lower}',
  topic: '{monitor_friendly_name|monitorFriendlyName}',
  events: {
    down: `${MONITOR} is **down**.${DETAILS}`,
    up: `${MONITOR} is **up**<< again after {alert_friendly_duration|alertFriendlyDuration}>>.${DETAILS}`,
    'ssl expiry': `The certificate of ${MONITOR} expires soon.${DETAILS}`,
  },
});
