import { BigBlueButton } from './big-blue-button.js';
import type { CallSettings } from './call-settings.js';
import { ZoomCalls } from './zoom-calls.js';

/** The services for video calls that the operator configured; null for each that is not. */
export interface VideoCalls {
  /** Jitsi server of organizations that name none. */
  readonly jitsiUrl: string | null;
  readonly zoom: ZoomCalls | null;
  readonly bigBlueButton: BigBlueButton | null;
}

export const NO_CALLS: VideoCalls = { jitsiUrl: null, zoom: null, bigBlueButton: null };

export function videoCalls(settings: CallSettings, secret: Buffer): VideoCalls {
  const { jitsi, zoom, bigbluebutton } = settings;
  return {
    jitsiUrl: jitsi?.url ?? null,
    zoom: zoom ? new ZoomCalls(zoom) : null,
    bigBlueButton: bigbluebutton ? new BigBlueButton(bigbluebutton, secret) : null,
  };
}
