/**
 * Which Node fits which system. The compiled parts of Parley ship inside registry packages and are never
 * compiled here, so each needs a Node and a C library that it was made for. Looked at before they are
 * loaded: the loader's own message names neither.
 */

/** What runs this process. */
export interface NodeRuntime {
  /** Version of Node, e.g. `22.14.0`. */
  readonly node: string;
  /** As `process.platform`. */
  readonly platform: string;
  /** As `process.arch`. */
  readonly arch: string;
  /** Version of the GNU C library, e.g. `2.36`; null on another C library, and where there is none. */
  readonly glibc: string | null;
}

/** This process cannot run here; its message says what could. */
export class UnsupportedRuntimeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnsupportedRuntimeError';
  }
}

/**
 * Releases of Node that Parley is tested on, and the oldest glibc that uWebSockets.js and Node itself need
 * there: uWebSockets.js' build for 20 was made on Ubuntu 20.04, those for 22 and 24 on Ubuntu 24.04.
 */
export const SUPPORTED_NODES: readonly { readonly major: number; readonly glibc: string }[] = [
  { major: 20, glibc: '2.28' },
  { major: 22, glibc: '2.38' },
  { major: 24, glibc: '2.38' },
];

/** Oldest minor release of a major one: `zlib.crc32`. */
const LEAST_MINORS: Readonly<Record<number, number>> = { 20: 15, 22: 2 };
/** Oldest glibc that the embedded store (lmdb 3.5.6) needs, on any Node. */
const LEAST_GLIBC_EMBEDDED = '2.34';
/** uWebSockets.js has builds for these alone, on Linux. */
const LINUX_ARCHITECTURES = ['x64', 'arm64'];
/** Systems with a glibc so recent, for whoever reads the number for the first time. */
const EXAMPLES: Readonly<Record<string, string>> = {
  '2.28': 'Debian 10, RHEL 8',
  '2.34': 'Debian 12, Ubuntu 22.04, RHEL 9',
  '2.38': 'Debian 13, Ubuntu 24.04',
};

/** What runs this process. */
export function currentRuntime(): NodeRuntime {
  const { platform, arch, versions } = process;
  return {
    node: versions.node,
    platform,
    arch,
    glibc: platform === 'linux' ? glibcVersion() : null,
  };
}

/** @throws UnsupportedRuntimeError where the server cannot run, naming the releases of Node that fit */
export function assertServerFits(runtime: NodeRuntime): void {
  const { node, platform, arch, glibc } = runtime;
  if (platform === 'linux' && glibc === null) {
    throw new UnsupportedRuntimeError(
      'uWebSockets.js has no build for musl (Alpine Linux): Parley needs a system with glibc ' +
        `${SUPPORTED_NODES[0]!.glibc} or later, such as Debian 12 with Node 20 or Debian 13 with Node 24`,
    );
  }
  if (platform === 'linux' && !LINUX_ARCHITECTURES.includes(arch)) {
    throw new UnsupportedRuntimeError(
      `uWebSockets.js has no build for this processor (${arch}), only for ${LINUX_ARCHITECTURES.join(' and ')}`,
    );
  }
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const row = SUPPORTED_NODES.find((one) => one.major === major);
  const tooOld = minor < (LEAST_MINORS[major] ?? 0);
  if (row && !tooOld && (glibc === null || !isOlder(glibc, row.glibc))) return;
  const problem =
    !row || tooOld
      ? `Node ${node} is not supported`
      : `Node ${node} needs glibc ${row.glibc} or later (${EXAMPLES[row.glibc]}), and this system has ${glibc}`;
  throw new UnsupportedRuntimeError(`${problem}. ${advice(glibc)}. Parley runs on ${matrix()}`);
}

/** @throws UnsupportedRuntimeError where the embedded store cannot be opened */
export function assertEmbeddedStoreFits({ glibc }: NodeRuntime): void {
  if (glibc === null || !isOlder(glibc, LEAST_GLIBC_EMBEDDED)) return;
  throw new UnsupportedRuntimeError(
    `The embedded store needs glibc ${LEAST_GLIBC_EMBEDDED} or later (${EXAMPLES[LEAST_GLIBC_EMBEDDED]}), and ` +
      `this system has ${glibc}: keep the organization in Redis (--store redis://…), or take a newer system`,
  );
}

/** Which Node fits this system. */
function advice(glibc: string | null): string {
  const fitting = SUPPORTED_NODES.filter((one) => glibc === null || !isOlder(glibc, one.glibc));
  if (fitting.length === 0) return `No Node fits this system (glibc ${glibc})`;
  const system = glibc === null ? 'This system' : `This system (glibc ${glibc})`;
  return `${system} fits Node ${listed(fitting.map(({ major }) => String(major)))}`;
}

function matrix(): string {
  return listed(
    SUPPORTED_NODES.map(({ major, glibc }) => `Node ${major} (glibc ${glibc} or later)`),
  );
}

function listed(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('');
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1)}`;
}

/** Compares versions such as `2.36` by their numbers. */
function isOlder(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major !== leastMajor ? major < leastMajor : minor < leastMinor;
}

/** Asked once: a report takes 4 ms. */
let glibc: string | null | undefined;

/** Node reports the C library it runs on; nothing for musl. */
function glibcVersion(): string | null {
  if (glibc !== undefined) return glibc;
  const { header } = process.report.getReport() as {
    header: { glibcVersionRuntime?: string };
  };
  glibc = header.glibcVersionRuntime ?? null;
  return glibc;
}
