#!/usr/bin/env node
import { join } from 'node:path';
import { exit } from './platform/processes.js';
import { useCompileCache } from './platform/compile-cache.js';

// What is loaded from here on is compiled once for all starts, so the program itself is loaded afterwards.
useCompileCache(import.meta.dirname, join(import.meta.dirname, '../compile-cache'));
import('./cli/program.js')
  .then(({ run }) => run())
  .catch((error: unknown) => {
    console.error(error);
    exit(1);
  });
