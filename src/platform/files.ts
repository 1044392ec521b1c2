import { bound } from './bound.js';
import type { Files } from './platform.js';

/* Files, as `Platform` says: functions of `node:fs` and `node:fs/promises` under their own names. */

/** A function with all its forms, of the platform that is bound when it is called. */
function bind<K extends keyof Files>(name: K): Files[K] {
  type Call = Record<K, (...args: unknown[]) => unknown>;
  return ((...args: unknown[]) => (bound().files as unknown as Call)[name](...args)) as Files[K];
}

export const accessSync = bind('accessSync');
export const chmodSync = bind('chmodSync');
export const closeSync = bind('closeSync');
export const createReadStream = bind('createReadStream');
export const createWriteStream = bind('createWriteStream');
export const existsSync = bind('existsSync');
export const fstatSync = bind('fstatSync');
export const fsyncSync = bind('fsyncSync');
export const ftruncateSync = bind('ftruncateSync');
export const linkSync = bind('linkSync');
export const lstatSync = bind('lstatSync');
export const mkdirSync = bind('mkdirSync');
export const openSync = bind('openSync');
export const readFileSync = bind('readFileSync');
export const readSync = bind('readSync');
export const readdirSync = bind('readdirSync');
export const readlinkSync = bind('readlinkSync');
export const realpathSync = bind('realpathSync');
export const renameSync = bind('renameSync');
export const rmSync = bind('rmSync');
export const statSync = bind('statSync');
export const truncateSync = bind('truncateSync');
export const unlinkSync = bind('unlinkSync');
export const writeFileSync = bind('writeFileSync');
export const writeSync = bind('writeSync');

export const chmod = bind('chmod');
export const copyFile = bind('copyFile');
export const link = bind('link');
export const mkdir = bind('mkdir');
export const mkdtemp = bind('mkdtemp');
export const open = bind('open');
export const opendir = bind('opendir');
export const readFile = bind('readFile');
export const readdir = bind('readdir');
export const realpath = bind('realpath');
export const rename = bind('rename');
export const rm = bind('rm');
export const stat = bind('stat');
export const unlink = bind('unlink');
export const writeFile = bind('writeFile');
