/**
 * For processes that live for seconds: `node ...OPTIMIZE_LATE program`.
 *
 * V8 optimizes a function after 66 KiB of its byte code have run. A start of the server then spends a sixth of
 * its time on optimized code that it hardly runs again, and the tests start some 800 processes. Only what runs
 * six times as often is optimized here. Node 22 and 24 have no such flag.
 */
export const OPTIMIZE_LATE: readonly string[] =
  Number.parseInt(process.versions.node) < 22 ? ['--interrupt-budget=400000'] : [];
