import type { EndpointDescriptor } from '../../schemas/endpoint.js';
import { updateMessageFlags, getMessages, sendMessage } from '../../schemas/messages/messages.js';
import { setTypingStatus } from '../../schemas/messages/typing.js';
import { updatePresence } from '../../schemas/presence/presence.js';
import { registerQueue } from '../../schemas/queues/register.js';
import { updateSettings } from '../../schemas/users/settings.js';
import { getOwnUser } from '../../schemas/users/users.js';
import type { NativeApp, NativeRequest, NativeResponse } from './native.js';

/**
 * What clients call most, besides `GET /events`. The native layer recognises these requests (see
 * `HttpServer.recognise`). The list is short because the native layer compares a path with each of its siblings in
 * turn.
 */
export const FREQUENT: readonly EndpointDescriptor[] = [
  getMessages,
  getOwnUser,
  registerQueue,
  sendMessage,
  setTypingStatus,
  updateMessageFlags,
  updatePresence,
  updateSettings,
];

/**
 * Serves the requests of a method and path, compared as they were sent; what does not match goes to the route of all
 * paths.
 * @throws RangeError for another method
 */
export function route(
  app: NativeApp,
  method: string,
  path: string,
  serve: (response: NativeResponse, request: NativeRequest) => void,
): void {
  if (method === 'GET') app.get(path, serve);
  else if (method === 'PATCH') app.patch(path, serve);
  else if (method === 'POST') app.post(path, serve);
  else throw new RangeError(`${method} has no route`);
}
