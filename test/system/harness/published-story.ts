import { openApiDocument } from '../../../schemas/openapi/document.js';
import type { Body } from './client.js';

/** An operation as it is published, ready to be sent as a page fills it in. */
export interface Published {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: {
    readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
    readonly parameters?: readonly Parameter[];
    readonly requestBody?: { readonly content: Record<string, { readonly example?: Body }> };
  };
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly example?: unknown;
  readonly content?: Record<string, { readonly example?: unknown }>;
}

/**
 * All operations as a server at an address publishes them, in an order in which their examples succeed one after
 * another.
 */
export function publishedStory(url: string): readonly Published[] {
  const paths = openApiDocument(url).paths as Record<string, Record<string, Body>>;
  return (
    Object.entries(paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          id: String(operation.operationId),
          method: method.toUpperCase(),
          path,
          operation: operation as unknown as Published['operation'],
        })),
      )
      // Nothing could come after it, not even the end of the credentials.
      .filter(({ id }) => id !== 'deactivate-realm')
      .sort((a, b) => turn(a) - turn(b))
  );
}

/**
 * What an owner of a new organization is refused: features this server does not offer, or that need more than an
 * example has.
 */
export const NOT_OFFERED: Readonly<Record<string, RegExp>> = {
  'fetch-api-key-by-token': /^JWT authentication is not enabled/,
  'begin-two-factor': /^Wrong password!/,
  'confirm-two-factor': /^Two-factor authentication was not begun/,
  'remove-two-factor': /^Two-factor authentication is off/,
  'get-channel-email-address': /not supported/,
  'report-message': /moderation|report/i,
  'register-push-device': /^Missing parameters/,
  'probe-webhook': /^Webhooks need the API key of/,
  'receive-webhook': /^Webhooks need the API key of/,
  'send-test-notification': /./,
  'send-encrypted-test-notification': /./,
  'deactivate-own-user': /^Cannot deactivate the only organization owner/,
  'create-video-call': /^Zoom is not configured/,
  'get-video-call': /^BigBlueButton is not configured/,
  'check-subdomain': /one organization/,
  'end-person-session': /^No such session$/,
  'remove-person-two-factor': /^They have no second factor/,
  'make-backup': /knows no folder for backups/,
  'link-backup': /^There is no such backup/,
};

/** Ends the credentials that the others are sent with. */
const LAST: ReadonlySet<string> = new Set(['regenerate-own-api-key', 'delete-message']);
/** Their numbers stand in other examples, so they come first, in this order. */
const FIRST = ['create-scheduled-message', 'send-message', 'create-user', 'create-bot'];
/** What others need to have happened. */
const EARLY: ReadonlySet<string> = new Set(['update-realm', 'update-presence', 'export-realm']);
/** What those who also remove still need. */
const LATE: ReadonlySet<string> = new Set(['reactivate-user', 'delete-custom-profile-field']);

/** What makes things goes before what reads and changes them, and what removes them comes after. */
function turn({ id }: Published): number {
  if (LAST.has(id)) return 9;
  if (FIRST.includes(id)) return FIRST.indexOf(id) - FIRST.length;
  if (/^(create|add|send|subscribe|register|upload)/.test(id) || EARLY.has(id)) return 2;
  if (LATE.has(id)) return 8;
  if (/^(remove|delete|deactivate|revoke|archive|unsubscribe|unmute)/.test(id)) return 7;
  return id.startsWith('update') ? 4 : 3;
}
