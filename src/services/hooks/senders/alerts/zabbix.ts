import { sender } from '../../sender.js';

/** The message that the media type's script makes of its macros. */
export const zabbix = sender({
  name: 'zabbix',
  displayName: 'Zabbix',
  docs: 'https://www.zabbix.com/documentation/current/manual/config/notifications/media/webhook',
  event: '{status}',
  topic: '{hostname}',
  words: { status: { OK: 'OK', PROBLEM: 'Problem', RESOLVED: 'Resolved' } },
  events: {
    'PROBLEM, OK, RESOLVED': '{$event:@status:bold} ({severity}): [{trigger}](link).<<\n* {item}>>',
  },
});
