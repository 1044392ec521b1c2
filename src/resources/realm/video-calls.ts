import * as descriptors from '../../../schemas/realm/video-calls.js';
import { badRequest } from '../../errors/index.js';
import type { VideoCalls } from '../../services/calls/video-calls.js';
import { ZoomError } from '../../services/calls/zoom-calls.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** Services that clients ask for, as their users know them. */
const SERVICES: Readonly<Record<string, string>> = {
  zoom: 'Zoom',
  webex: 'Webex',
  bigbluebutton: 'BigBlueButton',
  nextcloud_talk: 'Nextcloud Talk',
  constructorgroups: 'Constructor Groups',
};

/** Path of the page by which people join a call of BigBlueButton. */
export const JOIN_PATH = '/calls/bigbluebutton/join';

interface CallParts {
  readonly videoCalls: VideoCalls;
  /** A service did not do what it was asked. */
  readonly onCallError: (error: unknown) => void;
}

/** Links of video calls (endpoints-organization.md#video-calls). */
export function videoCallHandlers({ videoCalls, onCallError }: CallParts): AnyHandler[] {
  return [
    handlePrepared(
      descriptors.createVideoCall,
      async (_org, { user, params: { provider, is_video_call } }) => {
        const zoom = provider === 'zoom' ? videoCalls.zoom : null;
        if (!zoom) throw notConfigured(provider);
        try {
          return await zoom.create(user.email, is_video_call);
        } catch (error) {
          onCallError(error);
          const isUnknown = error instanceof ZoomError && error.reason === 'unknown_user';
          throw badRequest(isUnknown ? 'Unknown Zoom user email' : 'Failed to create Zoom call');
        }
      },
      (_tx, _request, url) => ({ url }),
    ),
    handle(descriptors.getVideoCall, ({ org }, { params: { provider, ...call } }) => {
      const bigBlueButton = provider === 'bigbluebutton' ? videoCalls.bigBlueButton : null;
      if (!bigBlueButton) throw notConfigured(provider);
      const name = call.meeting_name?.trim() || org.realm.current.name;
      const link = bigBlueButton.newCall(name, call.voice_only);
      return { url: `${org.site.url}${JOIN_PATH}?bigbluebutton=${link}` };
    }),
  ];
}

function notConfigured(provider: string) {
  const service = Object.hasOwn(SERVICES, provider) ? SERVICES[provider] : undefined;
  return badRequest(
    service === undefined ? 'Video calls are not configured.' : `${service} is not configured.`,
  );
}
