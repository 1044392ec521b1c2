/*
 * What a message and its event take: an API key, a queue, a poll, a message (the README's first event).
 *
 *     node first-event.js URL PASSWORD [EMAIL]
 */
const [url, password, username = 'owner@localhost'] = process.argv.slice(2);
const api = `${url}/api/v1`;
const form = (values) => ({ method: 'POST', body: new URLSearchParams(values) });
const read = async (reply) => {
  const body = await reply.json();
  if (reply.status !== 200) throw new Error(JSON.stringify(body));
  return body;
};
const { api_key } = await read(await fetch(`${api}/fetch_api_key`, form({ username, password })));
const headers = { Authorization: `Basic ${btoa(`${username}:${api_key}`)}` };
const { queue_id } = await read(
  await fetch(`${api}/register`, {
    ...form({ event_types: '["message"]', apply_markdown: 'true' }),
    headers,
  }),
);
const poll = fetch(`${api}/events?queue_id=${queue_id}&last_event_id=-1`, { headers }).then(read);
const message = { type: 'channel', to: 'general', topic: 'hello', content: 'Hello, **world**' };
await read(await fetch(`${api}/messages`, { ...form(message), headers }));
const { events } = await poll;
if (!events[0].message.content.includes('<strong>world</strong>')) throw new Error('no such event');
