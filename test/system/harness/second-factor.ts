import { shownCode } from '../../fixtures/authenticator.js';
import type { ApiClient } from './client.js';

/** Sets up a second factor by the API, as an authenticator app does. */
export async function setUpTwoFactor(client: ApiClient, password: string): Promise<void> {
  const { secret } = await client.ok('POST', '/users/me/two_factor', { password });
  const code = shownCode(String(secret), Date.now());
  await client.ok('PATCH', '/users/me/two_factor', { code });
}
