import { setTimeout as pause } from 'node:timers/promises';
import type { ApiClient } from './client.js';

/** Waits until the thumbnails of an uploaded picture are made. @param path below `/user_uploads/` */
export async function thumbnailMade(client: ApiClient, path: string): Promise<void> {
  const [realm, ...rest] = path.split('/');
  const place = `${realm}/${encodeURIComponent(rest.join('/'))}`;
  for (;;) {
    const { has_thumbnail } = await client.ok('GET', `/thumbnail/status/${place}`);
    if (has_thumbnail === true) return;
    await pause(10);
  }
}
