import { MAX_WEBHOOK_SECRET_LENGTH } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';

/** Key of the secret with which a service signs, in a bot's `config_data`. */
export const WEBHOOK_SECRET = 'webhook_secret';

/** What a bot is configured with. */
export type BotConfig = Readonly<Record<string, string>>;

/**
 * The configuration that a request gives a bot (endpoints-bots.md#incoming-webhooks): undefined for none given, null to
 * take it away.
 * @throws ApiError for anything that nothing would read
 */
export function checkedConfig(given: unknown): BotConfig | null | undefined {
  if (given === undefined) return undefined;
  if (given === null) return null;
  if (typeof given !== 'object' || Array.isArray(given))
    throw badRequest('config_data is not a dict');
  for (const [key, value] of Object.entries(given) as [string, unknown][]) {
    if (key !== WEBHOOK_SECRET) {
      throw badRequest(`Unknown configuration key '${key.slice(0, 100)}'.`);
    }
    if (typeof value !== 'string') throw badRequest(`config_data["${key}"] is not a string`);
    if (value.length > MAX_WEBHOOK_SECRET_LENGTH) {
      throw badRequest(
        `config_data["${key}"] is too long (limit: ${MAX_WEBHOOK_SECRET_LENGTH} characters)`,
      );
    }
  }
  const secret = (given as Record<string, string>)[WEBHOOK_SECRET] ?? '';
  return secret === '' ? null : { [WEBHOOK_SECRET]: secret };
}
