/**
 * A process that follows one organization several times, as a node would follow as many organizations of its
 * size. Arguments: the store, the file of the secret, an empty folder, and how often.
 */
import { join } from 'node:path';
import { pino } from 'pino';
import { openFiles, signOf } from '../../src/host/data-folder/files.js';
import { FirstStart } from '../../src/nodes/history/first-start.js';
import { KeySecret } from '../../src/nodes/history/key-secret.js';
import { createLimits, loadServices } from '../../src/app/load-services.js';
import { FollowerTerm } from '../../src/nodes/follower-term.js';
import { FigureHistory } from '../../src/host/monitoring/figure-history.js';
import { RecentLog } from '../../src/host/monitoring/recent-log.js';
import { IndexFile } from '../../src/organization/state/message-index/index-file.js';
import type { NodeParts } from '../../src/nodes/node-parts.js';
import { SearchIndexes } from '../../src/host/data-folder/search-indexes.js';
import { Witness } from '../../src/nodes/history/witness.js';
import { readCommand } from '../../src/cli/command-line.js';
import { createHttpServer } from '../../src/http/server.js';
import { MailCounts } from '../../src/services/incoming-mail/mail-counts.js';
import { MailReader } from '../../src/services/incoming-mail/mail-reader.js';
import { Passwords } from '../../src/services/auth/passwords.js';
import { Pictures } from '../../src/services/pictures/pictures.js';
import { Troubles } from '../../src/services/troubles.js';
import { RecentCommits } from '../../src/store/metered.js';
import { openStore } from '../../src/store/open.js';
import { listening } from '../exchange/targets.js';

const [storeUrl = '', secretPath = '', folder = '', times = '1'] = process.argv.slice(2);

/** What a node has for all its organizations. */
async function openParts(): Promise<{ parts: NodeParts; key: string }> {
  const files = `folder:${join(folder, 'files')}`;
  const flags = ['--store', storeUrl, '--secret-file', secretPath, '--files', files];
  const command = readCommand(['serve', ...flags, '--rate-limit', 'off'], {});
  if (command.kind !== 'serve') throw new Error('Not a server');
  const { config } = command;
  const log = pino({ level: 'warn' }, pino.destination(2));
  const blobs = await openFiles(config, log);
  const witness = await Witness.load(join(folder, 'witness.json'), () => undefined);
  const store = await openStore(storeUrl, { waitMs: config.storeWaitMs });
  const secret = await KeySecret.load(secretPath, store);
  const url = 'http://bench.invalid';
  const troubles = new Troubles();
  const server = createHttpServer({
    trustedProxies: [],
    log,
  });
  const site = server.site({
    limiter: null,
    origins: { own: () => url, allowed: [] },
    health: () => 'follower',
    leads: () => false,
    files: () => undefined,
  });
  const parts: NodeParts = {
    ...{ nodeId: 'bench', config, url, store, server, site, log, blobs, witness, secret },
    role: () => 'following',
    outside: null,
    webApp: null,
    recentCommits: new RecentCommits(),
    troubles,
    recentLog: new RecentLog(),
    figureHistory: new FigureHistory(join(folder, 'figures.bin'), () => undefined),
    besideStore: false,
    queueUsedAt: () => undefined,
    indexFile: new IndexFile(join(folder, 'message-index.bin'), store, () => undefined),
    firstStart: await FirstStart.look({ secretPath, files: () => signOf(blobs), witness }, false),
    unusable: (error) => {
      throw error;
    },
    maintenance: false,
    passwords: Passwords.create(),
    pictures: new Pictures(),
    mailReader: new MailReader(),
    mailCounts: new MailCounts(),
    searchIndexes: new SearchIndexes(config),
    ...(await loadServices(config, {
      url,
      secret: secret.bytes,
      log,
      troubles,
      limits: createLimits(config),
    })),
  };
  return { parts, key: secret.nodeKey() };
}

const { parts, key } = await openParts();
for (let i = 0; i < Number(times); i++) await new FollowerTerm(parts, key, () => false).begin();
process.stdout.write(`${listening(0)}\n`);
process.on('SIGTERM', () => process.exit(0));
