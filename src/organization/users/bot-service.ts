import { MAX_HOOK_URL_LENGTH } from '../../../schemas/limits.js';
import { HOOK_INTERFACE, type BotService } from '../../../schemas/users/bots.js';
import { BOT_TYPE } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { newToken } from '../../services/auth/random-token.js';
import { isWebAddress } from './profile-fields.js';

/** What a request changes of an outgoing webhook. */
type ServiceChange = Partial<Pick<BotService, 'base_url' | 'interface'>>;

/** The service of a new bot; null for all but outgoing webhooks. @throws ApiError */
export function newService(
  botType: number,
  url: string | undefined,
  form: number | undefined,
): BotService | null {
  const { base_url, interface: given = HOOK_INTERFACE.generic } = checkedService(
    botType,
    url,
    form,
  );
  if (botType !== BOT_TYPE.outgoingWebhook) return null;
  if (base_url === undefined) throw badRequest('Enter a valid URL.');
  return { base_url, interface: given, token: newToken(24) };
}

/**
 * What a request gives an outgoing webhook, as far as it says it; clients send an empty address for other bots.
 * @throws ApiError for what is no address or form, and for an address of a bot that has none
 */
export function checkedService(
  botType: number | null,
  url: string | undefined,
  form: number | undefined,
): ServiceChange {
  const isOutgoing = botType === BOT_TYPE.outgoingWebhook;
  if (!isOutgoing) {
    if (url !== undefined && url !== '') {
      throw badRequest('Only outgoing webhook bots have a payload URL.');
    }
    return {};
  }
  if (form !== undefined && form !== HOOK_INTERFACE.generic && form !== HOOK_INTERFACE.slack) {
    throw badRequest('Invalid interface type');
  }
  return {
    ...(url === undefined ? {} : { base_url: checkedUrl(url.trim()) }),
    ...(form === undefined ? {} : { interface: form }),
  };
}

function checkedUrl(text: string): string {
  const url = text.length <= MAX_HOOK_URL_LENGTH && isWebAddress(text) ? new URL(text) : null;
  if (url?.username !== '' || url.password !== '') throw badRequest('Enter a valid URL.');
  return text;
}
