/** What organizations may be named, and which addresses they may have. */
import { badRequest } from '../../errors/index.js';

/** The organization that lies in the data folder itself. */
export const MAIN = 'main';

/** Longest name, signs: it is part of paths, of which that of a socket has a limit of 107 bytes. */
const MAX_NAME = 40;
/** Longest host name, as of DNS. */
const MAX_ADDRESS = 253;

/** Letters, digits and hyphens of one script, so that no two names look alike. */
const NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/;
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** What addresses, paths and commands mean otherwise, or might. */
const RESERVED: ReadonlySet<string> = new Set([
  ...[MAIN, 'admin', 'all', 'api', 'catalogue', 'default', 'files', 'health', 'host', 'internal'],
  ...['localhost', 'mail', 'metrics', 'none', 'organizations', 'parley', 'root', 'static', 'www'],
]);

/** Whether a folder may be that of an organization, by its name. */
export function isName(name: string): boolean {
  return NAME.test(name) && name.length <= MAX_NAME;
}

/** @throws ApiError for what is no name of a new organization */
export function checkName(name: string): void {
  if (name.length > MAX_NAME) throw badRequest(`A name has at most ${MAX_NAME} signs`);
  if (!NAME.test(name)) {
    throw badRequest(
      'A name has lower-case letters a to z, digits and hyphens, begins with a letter, and does not end with a hyphen',
    );
  }
  if (RESERVED.has(name)) throw badRequest(`The name ${name} is reserved`);
}

/**
 * A host name as it is compared: lower case. What a URL reads as another host (`0x7f.1`), or as none (`chat.1`, malformed
 * `xn--…`), is none: it would stand in all links.
 * @throws ApiError for what is none
 */
export function addressFrom(text: string): string {
  const name = text.trim().toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  const isHost = name.length <= MAX_ADDRESS && labels.every((label) => LABEL.test(label));
  const url = `http://${name}`;
  if (isHost && !/^[\d.]+$/.test(name) && URL.canParse(url) && new URL(url).hostname === name) {
    return name;
  }
  throw badRequest(
    'An address is a host name in ASCII, such as chat.example.com: without scheme, port and path, and no number',
  );
}
