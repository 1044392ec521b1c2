import type { Runtime } from '../state/runtime.js';

/** Records removed per transaction. */
const BATCH = 1000;

/**
 * Removes what the audit log has kept for long enough.
 * @returns how many records were removed
 */
export async function expireAudit(runtime: Runtime, keepMs: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const until = runtime.org.now() - keepMs;
    const due = runtime.org.audit.olderThan(until, BATCH);
    if (due.length === 0) return removed;
    runtime.transact(({ org }) => due.forEach((id) => org.audit.delete(id)));
    await runtime.journal.barrier();
    removed += due.length;
  }
}
