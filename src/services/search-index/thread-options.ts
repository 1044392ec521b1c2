/** Threads get nothing of the process's options and environment, which may hold secrets, or start other things. */
export const ALONE = { env: {}, execArgv: [] };
