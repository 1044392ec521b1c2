import t from 'tap';
import {
  assertEmbeddedStoreFits,
  assertServerFits,
  currentRuntime,
  type NodeRuntime,
} from '../../../src/platform/runtime-support.js';

/** What a refusal says; empty where the runtime fits. */
function refusal(assert: (runtime: NodeRuntime) => void, runtime: Partial<NodeRuntime>): string {
  const whole = { node: '20.19.0', platform: 'linux', arch: 'x64', glibc: '2.36', ...runtime };
  try {
    assert(whole);
    return '';
  } catch (error) {
    t.equal((error as Error).name, 'UnsupportedRuntimeError');
    return (error as Error).message;
  }
}

void t.test('each supported Node runs where its glibc is recent enough', (t) => {
  const fits: Partial<NodeRuntime>[] = [
    { node: '20.15.0', glibc: '2.28' },
    { node: '20.20.2', glibc: '2.41' },
    { node: '22.14.0', glibc: '2.38' },
    { node: '24.0.0', glibc: '2.41' },
    { node: '24.18.1', glibc: '3.0', arch: 'arm64' },
    { node: '22.14.0', platform: 'darwin', arch: 'arm64', glibc: null },
    { node: '24.1.0', platform: 'win32', glibc: null },
  ];
  for (const runtime of fits)
    t.equal(refusal(assertServerFits, runtime), '', JSON.stringify(runtime));
  t.end();
});

void t.test('elsewhere one message says what is missing and which Node fits', (t) => {
  for (const node of ['22.14.0', '24.18.1']) {
    const said = refusal(assertServerFits, { node, glibc: '2.36' });
    t.ok(said.startsWith(`Node ${node} needs glibc 2.38 or later (Debian 13, Ubuntu 24.04), and`));
    t.match(said, /this system has 2\.36\. This system \(glibc 2\.36\) fits Node 20\. /);
  }
  for (const node of ['18.20.0', '20.14.0', '21.0.0', '22.1.0', '23.1.0', '25.2.0', '26.1.0']) {
    const said = refusal(assertServerFits, { node, glibc: '2.41' });
    t.match(said, new RegExp(`^Node ${node.replaceAll('.', '\\.')} is not supported\\. `));
    t.match(said, /This system \(glibc 2\.41\) fits Node 20, 22 or 24\. /);
    t.match(said, /Parley runs on Node 20 \(glibc 2\.28 or later\), Node 22 \(.*\) or Node 24 \(/);
  }
  t.match(
    refusal(assertServerFits, { glibc: '2.17' }),
    /2\.28 .*No Node fits this system \(glibc 2\.17\)/,
  );
  t.match(refusal(assertServerFits, { glibc: null }), /no build for musl \(Alpine Linux\).*glibc/);
  t.match(
    refusal(assertServerFits, { arch: 'riscv64' }),
    /no build for this processor \(riscv64\)/,
  );
  t.match(
    refusal(assertServerFits, { node: '18.0.0', platform: 'darwin', glibc: null }),
    /Node 18\.0\.0 is not supported\. This system fits Node 20, 22 or 24\./,
  );
  t.end();
});

void t.test('the embedded store says what it needs, and what runs without it', (t) => {
  t.equal(refusal(assertEmbeddedStoreFits, { glibc: '2.34' }), '');
  t.equal(refusal(assertEmbeddedStoreFits, { platform: 'darwin', glibc: null }), '');
  t.match(refusal(assertEmbeddedStoreFits, { glibc: '2.31' }), /needs glibc 2\.34 .*2\.31.*Redis/);
  t.end();
});

void t.test('what runs the tests is among the supported', (t) => {
  const runtime = currentRuntime();
  t.equal(runtime.node, process.versions.node);
  if (process.platform === 'linux') t.match(runtime.glibc, /^2\.\d+$/);
  assertServerFits(runtime);
  t.end();
});
