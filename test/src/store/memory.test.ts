import t from 'tap';
import { createMemory, createMemoryStore } from '../../../src/store/memory.js';
import { storeContract } from './contract.js';

storeContract(t, 'memory', async () => {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  return {
    store,
    reopen: async () => {
      await store.close();
      return createMemoryStore(memory);
    },
    second: async () => createMemoryStore(memory),
  };
});
