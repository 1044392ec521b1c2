/** The comparison with public advisories, against a registry of this test. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { testFolder } from '../fixtures/test-folder.js';

// A run of npm.
t.setTimeout(480_000);

interface Ended {
  readonly code: number;
  readonly stdout: string;
}

async function run(registry: string): Promise<Ended> {
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: testFolder(t) };
  try {
    const { stdout } = await promisify(execFile)('node', ['scripts/advisories.js'], { env });
    return { code: 0, stdout };
  } catch (error) {
    return error as Ended;
  }
}

/** A registry that knows these advisories by package. @returns its address, and what it was asked about */
async function registry(t: Test, advisories: object, status = 200) {
  const asked: Record<string, string[]>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (!request.url!.endsWith('/advisories/bulk')) {
        response.writeHead(404).end('{}');
        return;
      }
      const body = Buffer.concat(parts);
      const isPacked = request.headers['content-encoding'] === 'gzip';
      const text = (isPacked ? gunzipSync(body) : body).toString();
      asked.push(JSON.parse(text) as Record<string, string[]>);
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(advisories));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, asked };
}

void t.test('every package is asked about, in its version', async (t) => {
  const { url, asked } = await registry(t, {});
  const { code, stdout } = await run(url);
  t.match(stdout, /^0 advisories for the \d{3} packages of the lock file\n$/);
  t.equal(code, 0);
  t.strictSame(asked[0]!['sanitize-html'], ['2.17.5']);
  t.strictSame(asked[0]!['tap'], ['21.8.0'], 'those of the tests, too');
});

void t.test('a package that is known to be vulnerable ends it with 1', async (t) => {
  const advisory = {
    id: 1,
    title: 'Lets anybody in',
    severity: 'critical',
    url: 'https://example.org/1',
    vulnerable_versions: '<99.0.0',
  };
  const { url } = await registry(t, { ldapts: [advisory] });
  const { code, stdout } = await run(url);
  t.match(stdout, /^ldapts <99\.0\.0: critical: Lets anybody in https:\/\/example\.org\/1$/m);
  t.match(stdout, /^1 advisories for the \d+ packages/m);
  t.equal(code, 1);
});

void t.test('without advisories it says that nothing was compared', async (t) => {
  const skipped = /^skipped: no advisories for the \d+ packages can be had here \(.+\)\n$/;
  const { url } = await registry(t, {}, 405);
  for (const address of [url, 'http://127.0.0.1:1/']) {
    const { code, stdout } = await run(address);
    t.match(stdout, skipped);
    t.equal(code, 0);
  }
});
