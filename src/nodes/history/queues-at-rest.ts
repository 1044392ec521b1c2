/**
 * When queues were used last, from when their organization leaves memory until it is back in the same process: their idle
 * time goes on meanwhile, because their clients could use them. After the process it begins anew, as it always does. A file
 * that is lost lets queues live longer.
 */
import { NODE_ID } from '../../host/node-id.js';
import { restPath } from '../../host/data-folder/places.js';
import { readFile, rm, writeFile } from '../../platform/files.js';

/** When a queue was used last, by the steady clock of this process; undefined where that is not known. */
export type UsedAt = (queueId: string) => number | undefined;

interface AtRest {
  readonly process: string;
  readonly queues: readonly (readonly [id: string, usedAt: number])[];
}

/** @param folder of the state of the organization's process */
export async function keepQueuesAtRest(folder: string, queues: AtRest['queues']): Promise<void> {
  const rest: AtRest = { process: NODE_ID, queues };
  if (queues.length > 0) await writeFile(restPath(folder), JSON.stringify(rest), { mode: 0o600 });
}

/** Takes what this process has kept; what another one has left is dropped. */
export async function takeQueuesAtRest(folder: string): Promise<UsedAt> {
  const path = restPath(folder);
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return () => undefined;
  await rm(path, { force: true });
  const known = new Map(queuesIn(text));
  return (queueId) => known.get(queueId);
}

function queuesIn(text: string): AtRest['queues'] {
  try {
    const { process, queues } = JSON.parse(text) as AtRest;
    return process === NODE_ID ? queues : [];
  } catch {
    return [];
  }
}
