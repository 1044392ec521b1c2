import asyncHooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

/*
 * Lets promises be (`node --import`, before tap is loaded): tap follows each from its making to its collection, so that
 * it can tell to which test an error belongs that nobody handles. That is a tenth of the processor time of a process of
 * tests. Here such an error fails the process as a whole, and the place in the code is told all the same.
 */

const { createHook } = asyncHooks;

asyncHooks.createHook = (callbacks) => {
  const names = Object.keys(callbacks).sort().join();
  // The two callbacks of tap's hook; nothing else that tests load has a hook.
  return createHook(names === 'destroy,init' ? {} : callbacks);
};
syncBuiltinESMExports();
