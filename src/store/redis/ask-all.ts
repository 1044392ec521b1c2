/** Asking several servers about one thing at once: the first may be on the machine that is gone. */
import { pause } from '../../platform/timers.js';

/** How long others are waited for when enough have answered, milliseconds: they may know of a failover that those do not. */
const OTHERS_MS = 250;

/**
 * Asks all of them, and resolves when all have answered, or a while after enough have.
 * @param ask must not reject: what a server does not answer is an answer, too
 * @param isEnough looked at after each answer
 */
export async function askAll<Asked>(
  those: readonly Asked[],
  ask: (one: Asked) => Promise<void>,
  isEnough: () => boolean,
): Promise<void> {
  let enough = (): void => undefined;
  const some = new Promise<void>((resolve) => (enough = resolve));
  const all = Promise.all(
    those.map(async (one) => {
      await ask(one);
      if (isEnough()) enough();
    }),
  );
  await Promise.race([all, some]);
  await Promise.race([all, pause(OTHERS_MS)]);
}
