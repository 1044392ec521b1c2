import type { Organization } from '../state/organization.js';

/** As `video_chat_provider` names them (register-realm.md#realm). */
interface VideoChatProvider {
  readonly name: string;
  readonly id: 0 | 1 | 4 | 5;
}

/** Where calls may be made, by the name that clients know; Jitsi needs nothing of this server. */
export function videoChatProviders({
  site,
}: Organization): Readonly<Record<string, VideoChatProvider>> {
  const providers = site.videoCalls?.providers ?? [];
  return {
    disabled: { name: 'None', id: 0 },
    jitsi_meet: { name: 'Jitsi Meet', id: 1 },
    ...(providers.includes('BigBlueButton') && {
      big_blue_button: { name: 'BigBlueButton', id: 4 as const },
    }),
    ...(providers.includes('Zoom') && {
      zoom_server_to_server: { name: 'Zoom', id: 5 as const },
    }),
  };
}
