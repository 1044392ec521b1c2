/**
 * A process that follows one organization several times, as a node would follow as many organizations of its
 * size. Arguments: the store, the file of the secret, an empty folder, and how often.
 */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { pino } from 'pino';
import { openFiles, signOf } from '../../src/app/files.js';
import { FirstStart } from '../../src/app/first-start.js';
import { KeySecret } from '../../src/app/key-secret.js';
import { openMail } from '../../src/app/mail/mail-service.js';
import { FollowerTerm } from '../../src/app/nodes/follower-term.js';
import { IndexFile } from '../../src/organization/state/message-index/index-file.js';
import type { NodeParts } from '../../src/app/nodes/node-parts.js';
import { SearchIndexes } from '../../src/app/nodes/search-indexes.js';
import { Witness } from '../../src/app/witness.js';
import { readCommand } from '../../src/command-line.js';
import { createHttpServer } from '../../src/http/server.js';
import { unlimitedLogins, unlimitedMails } from '../../src/resources/kernel/limiters.js';
import { ApiKeys } from '../../src/services/auth/api-keys.js';
import { NO_CALLS } from '../../src/services/calls/video-calls.js';
import { FileLinks } from '../../src/services/auth/file-links.js';
import { LinkKeys } from '../../src/services/auth/link-keys.js';
import { OneTimeCodes } from '../../src/services/auth/one-time-codes.js';
import { SealedState } from '../../src/services/auth/sealed-state.js';
import { Passwords } from '../../src/services/auth/passwords.js';
import { createMarkdown } from '../../src/services/markdown/markdown.js';
import { MailReader } from '../../src/services/incoming-mail/mail-reader.js';
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
  const server = createHttpServer({
    limiter: null,
    trustedProxies: [],
    origins: { own: () => url, allowed: [] },
    log,
    health: () => 'follower',
    leads: () => false,
    files: () => undefined,
  });
  const parts: NodeParts = {
    ...{ nodeId: 'bench', config, url, store, server, log, blobs, witness, secret },
    outside: null,
    recentCommits: new RecentCommits(),
    troubles: new Troubles(),
    besideStore: false,
    indexFile: new IndexFile(join(folder, 'message-index.bin'), store, () => undefined),
    firstStart: await FirstStart.look({ secretPath, files: () => signOf(blobs), witness }, false),
    unusable: (error) => {
      throw error;
    },
    pictures: new Pictures(),
    mailReader: new MailReader(),
    keys: new ApiKeys(secret.bytes),
    fileLinks: new FileLinks(secret.bytes),
    linkKeys: new LinkKeys(secret.bytes),
    searchIndexes: new SearchIndexes(config),
    mail: openMail(config, url),
    mailLimiter: unlimitedMails,
    passwords: Passwords.create(),
    markdown: createMarkdown({ onError: (error) => log.error({ err: error }, 'rendering') }),
    limiter: unlimitedLogins,
    directory: null,
    webTokens: null,
    push: null,
    providers: [],
    videoCalls: NO_CALLS,
    codes: new OneTimeCodes(secret.bytes),
    loginState: new SealedState(secret.bytes, 'login'),
  };
  const key = createHmac('sha256', secret.bytes).update('parley node key').digest('base64url');
  return { parts, key };
}

const { parts, key } = await openParts();
for (let i = 0; i < Number(times); i++) await new FollowerTerm(parts, key).begin();
process.stdout.write(`${listening(0)}\n`);
process.on('SIGTERM', () => process.exit(0));
