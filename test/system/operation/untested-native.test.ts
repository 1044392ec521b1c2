import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer, storeFolder } from '../harness/server.js';
import { ApiClient } from '../harness/client.js';

/*
 * A start on another build of uWebSockets.js than those of docs/native-binaries.sha256: the library is asked first
 * whether it does what Parley needs.
 */

const LIBRARY = createRequire(import.meta.url).resolve('uWebSockets.js');

/** The library as it is, from another place: its compiled file is not known there. */
const SAME = `module.exports = require(${JSON.stringify(LIBRARY)});`;

/** Headers as Latin-1, as a build would send them that copies characters. */
const WRONG = `
const real = require(${JSON.stringify(LIBRARY)});
const latin1 = (text) => typeof text === 'string' ? text : Buffer.from(Buffer.from(text).toString(), 'latin1');
module.exports = { ...real, App() {
  const app = real.App();
  const any = app.any.bind(app);
  app.any = (path, handler) => any(path, (response, request) => {
    const { writeHeader } = response;
    response.writeHeader = (name, value) => writeHeader.call(response, name, latin1(value));
    return handler(response, request);
  });
  return app;
} };`;

/** Options of Node with which the server gets another library. */
function withLibrary(t: Test, source: string): { NODE_OPTIONS: string } {
  const folder = storeFolder(t);
  writeFileSync(join(folder, 'uws.js'), source);
  writeFileSync(
    join(folder, 'first.cjs'),
    `const Module = require('node:module');
    const { _resolveFilename: resolve } = Module;
    Module._resolveFilename = function (name, ...rest) {
      return name === 'uWebSockets.js' ? ${JSON.stringify(join(folder, 'uws.js'))} : resolve.call(this, name, ...rest);
    };`,
  );
  return { NODE_OPTIONS: `--require ${join(folder, 'first.cjs')}` };
}

void t.test('one that does what Parley needs serves', async (t) => {
  const server = await RunningServer.start(t, { env: withLibrary(t, SAME) });
  const owner = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  t.equal((await owner.ok('GET', '/users/me')).email, OWNER_EMAIL);
});

void t.test('one that does not is refused, with the file and what it does', async (t) => {
  for (const workers of ['1', '2']) {
    const store = `embedded:${storeFolder(t)}`;
    const args = ['serve', '--port', '0', '--store', store, '--workers', workers];
    const { code, stderr } = await run(args, withLibrary(t, WRONG));
    t.equal(code, 1, `${workers} processes`);
    t.match(stderr, /is none that Parley was tested with \(.*uws_.*\.node, SHA-256 unknown\)/);
    t.match(
      stderr,
      /does not do what Parley needs: a header, letters of Western Europe: e4736520 in place of c3a47365 at byte 1/,
    );
  }
});
