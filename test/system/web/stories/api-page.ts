/**
 * The page of the published contract at `/docs`. What its viewer draws is a package's: what it can be read by is ours.
 */
import type { Browser } from 'puppeteer-core';
import type { Test } from 'tap';
import { accessibilityFaults, openTab, until } from '../../harness/browser.js';

export async function apiPage(t: Test, browser: Browser, url: string): Promise<void> {
  const tab = await openTab(browser, `${url}/docs`);
  const { page } = tab;
  await page.type('#search', 'send message');
  await until(tab, `document.querySelector('.opblock-summary-control')`);
  const summary = `[...document.querySelectorAll('.opblock-summary-control')].find((one) => /PATCH/.test(one.textContent))`;
  await page.evaluate(`${summary}.click()`);
  await until(tab, `document.querySelector('.try-out__btn')`);
  await page.click('.try-out__btn');
  await until(tab, `document.querySelector('.btn.execute')`);
  await page.setViewport({ width: 390, height: 844 });
  for (const value of ['light', 'dark']) {
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
    await until(tab, `document.documentElement.matches('.dark-mode') === ${value === 'dark'}`);
    // Colors change by and by.
    await until(tab, `document.getAnimations().length === 0`);
    const faults = await accessibilityFaults(tab);
    t.strictSame(
      faults.filter((fault) => fault.startsWith('color-contrast')),
      [],
      value,
    );
  }
  const { narrowest } = (await page.evaluate(
    `({ narrowest: Math.min(...[...document.querySelectorAll('.opblock-tag small')].map((one) => one.clientWidth)) })`,
  )) as { narrowest: number };
  t.ok(narrowest > 200, `${narrowest} pixels for what a chapter is about`);
  t.strictSame(tab.faults, []);
}
