import t from 'tap';
import { changesOf } from '../../../../src/organization/state/audited.js';

void t.test('what a bot is configured with is told without its values', async (t) => {
  const service = { base_url: 'https://ada:secret@example.org/', interface: 1, token: 'AgnIzjzL' };
  const bot = { user_id: 9, bot_type: 3, service, config_data: { key: 'of another service' } };
  const next = {
    ...bot,
    bot_type: 1,
    service: { ...service, interface: 2 },
    config_data: { key: 'another' },
  };
  const [change] = changesOf([{ collection: 'bot', id: 9, previous: bot, next }], () => 'Hook');
  t.same(change, {
    ...{ kind: 'bot', id: 9, name: 'Hook', action: 'changed' },
    fields: [
      { name: 'bot_type', old: '3', new: '1' },
      { name: 'service', old: null, new: null },
      { name: 'config_data', old: null, new: null },
    ],
  });
});
