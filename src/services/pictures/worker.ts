/**
 * The program of a process that works on uploaded pictures, one at a time. It has no secrets and no files, and
 * may be killed at any moment: unpacking a picture is native code that nothing else can stop.
 */
import { residentBytes } from '../../platform/figures.js';
import { kill } from '../../platform/processes.js';
import { setInterval, clearInterval } from '../../platform/timers.js';
import { PictureTooLargeError, processPicture } from './resize.js';
import type { PictureJob, PictureMessage } from './job.js';
import { inBackground } from '../../turns/background.js';

/**
 * Memory of this process in bytes. A picture of the most pixels at 16 bits with four channels takes 200 MB, an
 * interlaced one twice that, and the process itself some 90 MB.
 */
const MAX_MEMORY = 640 * 1024 * 1024;
const MEMORY_CHECK_MS = 20;

function tell(message: PictureMessage): void {
  process.send?.(message);
}

/** Ends at once, whatever native code is still at work. */
function die(): void {
  kill(process.pid, 'SIGKILL');
}

async function work(job: PictureJob): Promise<void> {
  tell({ began: true });
  const watch = setInterval(() => {
    if ((residentBytes() ?? 0) > MAX_MEMORY) die();
  }, MEMORY_CHECK_MS);
  try {
    tell({ result: await processPicture(job) });
  } catch (error) {
    tell({ refused: error instanceof PictureTooLargeError ? 'too_large' : 'undecodable' });
  } finally {
    clearInterval(watch);
  }
}

// The server says when this process ends; a terminal's Ctrl-C goes to both.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', die);
process.on('message', (job) => inBackground(() => work(job as PictureJob), die));
