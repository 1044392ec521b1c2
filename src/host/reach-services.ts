/** Whether the services that a configuration names answer: `parley config check --connect`. */
import { constants } from 'node:fs';
import { accessSync, existsSync } from '../platform/files.js';
import { clearTimeout, setTimeout } from '../platform/timers.js';
import type { Config } from '../config/config.js';
import { risksOfStore } from '../store/open.js';
import { filesFolder, openBucket } from './data-folder/files.js';
import { folderOf, isEmbedded } from './data-folder/places.js';
import { reportingLog } from './monitoring/log.js';

/** One service that was tried. */
export interface Reached {
  /** What was tried, without credentials. */
  readonly service: string;
  /** The option that names it and why it cannot be used; null where it answers. */
  readonly fault: string | null;
  /** What can be lost with it, one sentence each; absent: nothing is known. */
  readonly risks?: readonly string[];
}

/** One to try. */
interface Trial {
  readonly flag: string;
  readonly service: string;
  /** What can be lost with it. Rejects with why it cannot be used. */
  readonly reach: () => Promise<readonly string[] | void>;
}

/** Tries each service, one after the other; changes nothing there. */
export async function reachServices(config: Config): Promise<Reached[]> {
  return reachEach(await trialsOf(config));
}

/**
 * Tries what a running server does without until somebody needs it: mail server, directory, providers; all at once.
 * @param withinMs what has not answered by then has a fault: a request waits for it
 */
export async function reachLazyServices(config: Config, withinMs: number): Promise<Reached[]> {
  const trials = await lazyTrials(config);
  const hurried = trials.map((trial) => ({
    ...trial,
    reach: () => inTime(trial.reach(), withinMs),
  }));
  return (await Promise.all(hurried.map((trial) => reachEach([trial])))).flat();
}

/** @throws Error where the work takes longer; it goes on, and ends by limits of its own */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function reachEach(trials: readonly Trial[]): Promise<Reached[]> {
  const reached: Reached[] = [];
  for (const { flag, service, reach } of trials) {
    try {
      const risks = await reach();
      reached.push({ service, fault: null, ...(risks ? { risks } : {}) });
    } catch (error) {
      reached.push({ service, fault: `--${flag}: ${(error as Error).message}` });
    }
  }
  return reached;
}

async function trialsOf(config: Config): Promise<Trial[]> {
  return [
    { flag: 'store', service: 'the store', reach: () => reachStore(config) },
    { flag: 'files', service: 'the uploaded files', reach: () => reachFiles(config) },
    ...(await lazyTrials(config)),
  ];
}

async function lazyTrials(config: Config): Promise<Trial[]> {
  return [
    ...(await mailTrials(config)),
    ...(await directoryTrials(config)),
    ...(await providerTrials(config)),
  ];
}

async function reachStore(config: Config): Promise<string[]> {
  // The first start makes it.
  if (isEmbedded(config) && !existsSync(folderOf(config))) return [];
  const { storeWaitMs: waitMs, storeReplicas: replicas } = config;
  return risksOfStore(config.store, { waitMs, replicas });
}

async function reachFiles(config: Config): Promise<void> {
  const folder = filesFolder(config);
  if (folder !== null) {
    if (existsSync(folder)) accessSync(folder, constants.R_OK | constants.W_OK);
    return;
  }
  const bucket = await openBucket(
    config,
    reportingLog(() => undefined),
  );
  try {
    await bucket!.holdsFiles();
  } catch (error) {
    const { message, cause } = error as Error;
    throw cause instanceof Error ? new Error(`${message} (${cause.message})`) : error;
  } finally {
    bucket!.close();
  }
}

async function mailTrials({ mail }: Config): Promise<Trial[]> {
  if (mail === null) return [];
  const { SmtpTransport } = await import('../services/mail.js');
  const transport = new SmtpTransport(mail);
  const reach = (): Promise<void> => transport.reach().finally(() => transport.close());
  return [{ flag: 'mail', service: `the mail server ${transport.description}`, reach }];
}

async function directoryTrials({ ldap }: Config): Promise<Trial[]> {
  if (ldap === null) return [];
  const { Directory } = await import('../services/auth/ldap-directory.js');
  let why = '';
  const directory = await Directory.load(ldap, (error) => (why = (error as Error).message));
  const reach = (): Promise<void> => because(directory.reach(), () => why);
  return [{ flag: 'ldap', service: 'the directory', reach }];
}

async function providerTrials({ oidc }: Config): Promise<Trial[]> {
  if (oidc === null) return [];
  const { OpenIdProvider } = await import('../services/auth/openid-provider.js');
  const whys = new Map<string, string>();
  const providers = await OpenIdProvider.load(oidc, (name, text) => void whys.set(name, text));
  return providers.map((provider) => {
    const { name, display_name } = provider.settings;
    const reach = (): Promise<void> => because(provider.reach(), () => whys.get(name) ?? '');
    return { flag: 'oidc', service: `the provider ${display_name}`, reach };
  });
}

/** Users are told that a service does not answer; the operator is told why, too. */
async function because(reached: Promise<void>, why: () => string): Promise<void> {
  await reached.catch((error: unknown) => {
    throw new Error(`${(error as Error).message}${why() === '' ? '' : ` (${why()})`}`, {
      cause: error,
    });
  });
}
