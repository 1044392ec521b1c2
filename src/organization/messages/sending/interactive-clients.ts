/** Programs with a person in front of them: what they send, their user has read. */
const INTERACTIVE_CLIENTS: ReadonlySet<string> = new Set([
  'website',
  'zulipmobile',
  'zulipflutter',
  'zulipterminal',
  'zulipelectron',
]);

/** Whether a client counts its own messages as read (conventions.md#callers). */
export function isInteractive(clientName: string): boolean {
  const name = clientName.toLowerCase();
  return INTERACTIVE_CLIENTS.has(name) || name.includes('desktop app');
}
