import { sender } from '../../sender.js';

export const ansibleTower = sender({
  name: 'ansibletower',
  displayName: 'Ansible Tower and AWX',
  docs: 'https://docs.ansible.com/ansible-tower/latest/html/userguide/notifications.html#webhook',
  event: "{status|'notification'}",
  topic: '{friendly_name} / {name}',
  events: {
    'running, successful, failed, canceled, error':
      '{friendly_name} [#{id} {name}](url): {status:bold}.' +
      '<<\n* Inventory: {inventory}>><<\n* Project: {project}>><<\n* Playbook: {playbook:code}>>',
    notification: { topic: 'Ansible Tower', text: '{body:markdown}' },
  },
  quiet: ['pending', 'waiting'],
});
