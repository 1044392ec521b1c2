/** What works by itself during a term. */
export interface Background {
  /** Called once, when the organization is loaded. */
  start(): void;
  /** Called once, when the term ends, also when it was never started; nothing may happen afterwards. */
  stop(): void;
}

/** Does something again and again, a pause after the start for the first time; `ms` milliseconds apart. */
export function every(ms: number, action: () => void): Background {
  let timer: NodeJS.Timeout | undefined;
  return {
    start: () => (timer = setInterval(action, ms)),
    stop: () => clearInterval(timer),
  };
}
