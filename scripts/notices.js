/*
 * The licences of what the packed server has inside: the bundle has the code of other packages, without their files.
 * Packages beside the bundle bring their own.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages for development whose code is in the pages, or in what the build makes of the messages. */
const BUILT_IN = ['@messageformat/runtime', 'make-plural', 'preact', 'swagger-ui-dist'];
const LICENCE_FILE = /^(?:licen[cs]e|copying|notice)/i;

/** @returns the text of THIRD-PARTY-NOTICES.txt @throws Error for a package without a licence */
export function noticesText(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const rows = Object.entries(packages).filter(([path, row]) => {
    const name = path.split('node_modules/').at(-1);
    // What is for one system has compiled files, which no bundle takes.
    return path !== '' && !row.os && !row.cpu && (row.dev !== true || BUILT_IN.includes(name));
  });
  const notices = rows
    .filter(([path]) => existsSync(join(root, path)))
    .map(([path, { version, license }]) => {
      const files = readdirSync(join(root, path)).filter((name) => LICENCE_FILE.test(name));
      if (license === undefined && files.length === 0) throw new Error(`${path} has no licence`);
      const texts = files.map((name) => readFileSync(join(root, path, name), 'utf8').trim());
      const name = path.split('node_modules/').at(-1);
      return [`${name} ${version} (${license ?? 'see below'})`, ...texts].join('\n\n');
    });
  const head =
    'Parley contains code of these packages. Each is under the licence that follows its name.';
  return `${[head, ...notices].join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
