import { emojiData } from '../services/emoji.js';
import type { PublicFile } from './server.js';

function square(colour: string): PublicFile {
  return {
    contentType: 'image/svg+xml',
    body:
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" ' +
      `rx="12" fill="${colour}"/><path d="M14 18h36v22H30l-10 9v-9h-6z" fill="#fff"/></svg>`,
  };
}

/**
 * Files anyone may fetch outside the API: the pictures of an organization that uploaded none, and the
 * emoji table of `server_emoji_data_url` (register.md section 4.3), made once.
 */
export function publicFiles(): (path: string) => PublicFile | undefined {
  const files = new Map<string, PublicFile>([
    ['/static/icon.svg', square('#3b7c5c')],
    ['/static/logo.svg', square('#3b7c5c')],
    ['/static/night-logo.svg', square('#5fae87')],
    ['/static/emoji.json', { contentType: 'application/json', body: JSON.stringify(emojiData()) }],
  ]);
  return (path) => files.get(path);
}
