import type { HookMessage, Integration } from '../../../../src/services/hooks/integration.js';
import { Payload } from '../../../../src/services/hooks/payload.js';

/** What an integration makes of a payload: topic and text, or null. */
export function told(
  integration: Integration,
  payload: unknown,
  headers: Readonly<Record<string, string>> = {},
): readonly [topic: string, content: string] | null {
  const request = { header: (name: string) => headers[name] ?? '', payload: new Payload(payload) };
  const message = integration.message(integration.eventOf(request), request.payload);
  return withoutMarks(message);
}

/** Topic and text of a message, without the marks that keep it from mentioning anybody; or null. */
export function withoutMarks(
  message: HookMessage | null,
): readonly [topic: string, content: string] | null {
  return message && [message.topic, message.content.replaceAll('\u200b', '')];
}
