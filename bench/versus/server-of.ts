import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Address } from '../exchange/jobs.js';
import { ApiClient } from '../harness/api-client.js';
import { BenchOrganization } from '../harness/organization.js';
import { START_FLAGS, ServerProcess } from '../harness/processes/server-process.js';

/** Where the program of a built checkout is, in the newest layout first. */
const PROGRAMS = ['dist/server/main.js', 'dist/src/main.js'];
const OWNER_EMAIL = 'owner@bench.invalid';
const OWNER_PASSWORD = 'correct horse battery bench';

/** The program of a checkout; null where it is not built. */
export function programOf(checkout: string): string | null {
  return PROGRAMS.map((path) => join(checkout, path)).find((path) => existsSync(path)) ?? null;
}

/** The server of one checkout on a fresh embedded store, with an organization whose owner is the client. */
export class VersusServer {
  private constructor(
    readonly process: ServerProcess,
    readonly organization: BenchOrganization,
    private readonly folder: string,
  ) {}

  static async start(name: string, program: string): Promise<VersusServer> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-versus-'));
    const server = await ServerProcess.start({
      name,
      command: process.execPath,
      args: [
        ...[...START_FLAGS, program, 'serve', '--port', '0'],
        ...['--rate-limit', 'off', '--log', 'warn', '--store', `embedded:${join(folder, 'store')}`],
      ],
      env: {
        NODE_ENV: 'production',
        PARLEY_OWNER_EMAIL: OWNER_EMAIL,
        PARLEY_OWNER_PASSWORD: OWNER_PASSWORD,
      },
      cwd: folder,
    });
    const { address } = server;
    const organization = await BenchOrganization.open({
      users: 1,
      store: null,
      remote: {
        url: new URL(`http://${address.host}:${address.port}`),
        email: OWNER_EMAIL,
        key: await keyOf(address),
        pid: server.pid,
      },
    });
    return new VersusServer(server, organization, folder);
  }

  async stop(): Promise<void> {
    this.organization.api.close();
    await this.process.stop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function keyOf(address: Address): Promise<string> {
  const api = new ApiClient(address, 1);
  try {
    const login = { username: OWNER_EMAIL, password: OWNER_PASSWORD };
    const reply = await api.call('POST', '/fetch_api_key', '', login);
    return String(reply.api_key);
  } finally {
    api.close();
  }
}
