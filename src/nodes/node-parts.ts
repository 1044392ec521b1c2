import type { Site } from '../organization/state/site.js';
import type { HostParts } from '../host/host-parts.js';
import type { OrganizationParts } from './organization-parts.js';

/** What serves one organization at a process: what the process has for all, and what is the organization's alone. */
export type NodeParts = HostParts & OrganizationParts;

/** What the organization knows of its server. @param now milliseconds since 1970 */
export function siteOf(parts: NodeParts, now: number): Site {
  const { config, url, site, directory, webTokens, providers, mail, push, videoCalls, outside } =
    parts;
  return {
    url,
    number: site.number,
    botDomain: config.url ? new URL(config.url).hostname : 'parley.invalid',
    mails: mail.reaches,
    pushes: push !== null,
    encryptedPushes: push?.encrypted !== undefined,
    generation: Math.floor(now / 1000),
    ...(outside ? { outsidePicture: (address) => outside.links.path(address) } : {}),
    previewsPages: Boolean(outside?.pages),
    uploadQuotaMib: config.uploadQuotaMib,
    memberQuota: config.memberQuota,
    messageQuota: config.messageQuota,
    limitsPresence: config.limitsPresence,
    mailPattern: config.incomingMailAddress,
    logins: [
      ...(directory ? ['LDAP' as const] : []),
      ...(webTokens ? ['JWT' as const] : []),
      ...(providers.length > 0 ? ['OpenID Connect' as const] : []),
    ],
    videoCalls: {
      jitsiUrl: videoCalls.jitsiUrl,
      providers: [
        ...(videoCalls.bigBlueButton ? ['BigBlueButton' as const] : []),
        ...(videoCalls.zoom ? ['Zoom' as const] : []),
      ],
    },
    loginServices: providers.map(({ settings: { name, display_name, display_icon = null } }) => ({
      name,
      display_name,
      display_icon,
    })),
  };
}
