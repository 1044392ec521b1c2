import type { Service } from '../../http/server.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { HandlerParts } from '../../resources/handler-parts.js';
import { errorPage } from '../../resources/pages/layout.js';
import { PageRuntime } from '../../resources/pages/page.js';
import { allPages } from '../../resources/pages/registry.js';
import type { NodeParts } from '../node-parts.js';

/** The pages outside the API, in either role. */
export function pagesOf(
  runtime: Runtime,
  parts: NodeParts,
  { presence, sessions, queues }: HandlerParts,
): NonNullable<Service['pages']> {
  return {
    all: allPages({
      ...parts,
      ...{ presence, sessions },
      runtime: new PageRuntime(runtime),
      keys: parts.linkKeys,
      apiKeys: parts.keys,
      limiter: parts.mailLimiter,
      logins: parts.limiter,
      bigBlueButton: parts.videoCalls.bigBlueButton,
      closeSockets: (userId) => queues.closeSocketsOf(userId),
    }),
    errorPage: (error, language) => errorPage(runtime.org, error, language),
  };
}
