import type { Config } from '../config.js';
import { MessageRetention } from '../organization/messages/retention/message-retention.js';
import type { Runtime } from '../organization/state/runtime.js';
import type { Store } from '../store/port.js';
import type { Background } from './background.js';
import type { AppLog } from './log.js';

/** After the start: what was over while nobody served goes soon. */
const FIRST_MS = 2000;
const ROUND_MS = 3_600_000;

/** Carries out the retention of messages, soon after the start and every hour. */
export function messageUpkeep(
  runtime: Runtime,
  parts: { readonly config: Config; readonly store: Store; readonly log: AppLog },
): Background {
  const { config, store, log } = parts;
  const retention = new MessageRetention({ runtime, store, keepMs: config.keepRemovedMessagesMs });
  let timer: NodeJS.Timeout | undefined;
  const pass = (): void => {
    timer = setTimeout(pass, ROUND_MS);
    retention.run().then(
      (result) => {
        if (result.removed + result.dropped > 0)
          log.info({ ...result }, 'messages reached their retention');
      },
      (error: unknown) => log.error({ err: error }, 'the retention of messages failed'),
    );
  };
  return {
    start: () => (timer = setTimeout(pass, FIRST_MS)),
    stop: () => {
      clearTimeout(timer);
      retention.stop();
    },
  };
}
