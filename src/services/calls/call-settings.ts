import Type, { type Static } from 'typebox';
import { readSettingsFile } from '../settings-file.js';

const closed = { additionalProperties: false } as const;
const Secret = Type.String({ minLength: 1, maxLength: 200 });
const Address = Type.String({ pattern: '^https?://[^/?#@]+[^?#]*$', maxLength: 200 });

/** An app of Zoom that acts for its whole account ("Server-to-Server OAuth"). */
const ZoomSettings = Type.Object(
  {
    account_id: Secret,
    client_id: Secret,
    client_secret: Secret,
    /** Where access tokens come from. */
    oauth_url: Type.String({ ...Address, default: 'https://zoom.us' }),
    api_url: Type.String({ ...Address, default: 'https://api.zoom.us' }),
  },
  closed,
);
export type ZoomSettings = Static<typeof ZoomSettings>;

const BigBlueButtonSettings = Type.Object(
  {
    /** As `bbb-conf --secret` shows it, with `/bigbluebutton/` at its end. */
    url: Address,
    secret: Secret,
  },
  closed,
);
export type BigBlueButtonSettings = Static<typeof BigBlueButtonSettings>;

/** Settings of the file named by `PARLEY_CALLS`; services that it leaves out are not offered. */
const CallSettings = Type.Object(
  {
    /** Used where the organization names no server of its own. */
    jitsi: Type.Optional(Type.Object({ url: Address }, closed)),
    zoom: Type.Optional(ZoomSettings),
    bigbluebutton: Type.Optional(BigBlueButtonSettings),
  },
  closed,
);
export type CallSettings = Static<typeof CallSettings>;

/** Over other protocols secrets would be sent unencrypted. */
const LOCAL = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::|\/|$)/;

/** @throws Error when the file cannot be used; never shows a value, which may be a secret */
export async function readCallSettings(path: string): Promise<CallSettings> {
  const settings = await readSettingsFile(path, CallSettings);
  const { jitsi, zoom, bigbluebutton } = settings;
  const addresses = {
    'jitsi/url': jitsi?.url,
    'zoom/oauth_url': zoom?.oauth_url,
    'zoom/api_url': zoom?.api_url,
    'bigbluebutton/url': bigbluebutton?.url,
  };
  for (const [field, address] of Object.entries(addresses)) {
    if (address === undefined || address.startsWith('https:') || LOCAL.test(address)) continue;
    throw new Error(`${path}: ${field} is not https`);
  }
  return settings;
}
