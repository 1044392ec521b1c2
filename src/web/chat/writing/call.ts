import type { Client, Reply } from '../../../client/index.js';

/** What a snapshot says of the service. */
type Service = Pick<
  Reply<'POST /register'>,
  'realm_video_chat_provider' | 'realm_jitsi_server_url' | 'server_jitsi_server_url'
>;

/** Values of `realm_video_chat_provider`. */
const JITSI = 1;
const ZOOM = 3;
const BIG_BLUE_BUTTON = 4;
const ZOOM_OF_THE_SERVER = 5;

/** Makes calls by the service that the organization has chosen. */
export type Calls = (() => Promise<string>) | null;

/** How a call is begun; null where there is no service for it here. @param title of the conversation */
export function callsOf(client: Client, snapshot: Service, title: () => string): Calls {
  switch (snapshot.realm_video_chat_provider) {
    case JITSI: {
      const server = snapshot.realm_jitsi_server_url ?? snapshot.server_jitsi_server_url;
      if (!server) return null;
      // The address is the key to the room.
      return () =>
        Promise.resolve(
          `${server.replace(/\/$/, '')}/${crypto.getRandomValues(new BigUint64Array(2)).join('')}`,
        );
    }
    case ZOOM:
    case ZOOM_OF_THE_SERVER:
      return async () =>
        (
          await client.call('POST /calls/{provider}/create', {
            provider: 'zoom',
            is_video_call: true,
          })
        ).url;
    case BIG_BLUE_BUTTON:
      return async () => {
        const params = { provider: 'bigbluebutton', meeting_name: title() };
        return (await client.call('GET /calls/{provider}/create', params)).url;
      };
    default:
      return null;
  }
}
