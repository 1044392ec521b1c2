/** Options of the nodes, where there are services. */
export const SERVICE_SETTINGS = { mail: 'smtp://mail:25', push: '/data/push.json' };
/** What the operator wrote into the file. */
export const PUSH_SETTINGS = JSON.stringify({
  bouncer: { url: 'https://push.example', id: 'simulated', key: 'a-key' },
});
