import t from 'tap';
import { replacePlatform } from '../../../src/platform/bound.js';
import * as figures from '../../../src/platform/figures.js';
import { nodePlatform } from '../../../src/platform/node-platform.js';
import type { Figures, Platform } from '../../../src/platform/platform.js';

/** Runs work on a system that tells these figures. */
function where<T>(told: Partial<Figures>, work: () => T): T {
  const all: Platform = { ...nodePlatform, figures: { ...nodePlatform.figures, ...told } };
  const restore = replacePlatform(all);
  try {
    return work();
  } finally {
    restore();
  }
}

/** As of a system without `/proc`, or where no descriptor is free. */
const fails = (): never => {
  throw Object.assign(new Error('ENOENT: no such file or directory, uv_resident_set_memory'), {
    code: 'ENOENT',
  });
};

void t.test('a figure that the system does not tell is null, and throws nothing', (t) => {
  const names = Object.keys(nodePlatform.figures) as (keyof Figures)[];
  const nothing = Object.fromEntries(names.map((name) => [name, fails])) as unknown as Figures;
  const { workStopwatch, freeBytes, ...simple } = figures;
  where(nothing, () => {
    for (const [name, ask] of Object.entries(simple)) t.equal(ask(), null, name);
    t.equal(freeBytes('/'), null);
    const workedMs = workStopwatch();
    t.ok(workedMs() >= 0, 'all time counts as worked');
  });
  for (const [name, ask] of Object.entries(simple)) {
    t.not(ask(), undefined, `${name} of this machine`);
  }
  t.ok(figures.residentBytes()! > figures.heapBytes()!);
  t.ok(freeBytes('/')! > 0);
  t.end();
});

void t.test('a limit is read from the lines of Linux', (t) => {
  const lines = (soft: string): string =>
    [
      'Limit                     Soft Limit           Hard Limit           Units     ',
      'Max file size             unlimited            unlimited            bytes     ',
      'Max processes             7                    7                    processes ',
      `Max open files            ${soft.padEnd(20)} 1048576              files     `,
    ].join('\n');
  t.equal(
    where({ limits: () => lines('4096') }, () => figures.openFilesLimit()),
    4096,
  );
  t.equal(
    where({ limits: () => lines('unlimited') }, () => figures.openFilesLimit()),
    null,
  );
  t.equal(
    where({ limits: () => lines('4096') }, () => figures.largestFileBytes()),
    null,
  );
  t.end();
});
