import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import puppeteer, { TargetType, type Browser, type Page } from 'puppeteer-core';
import type { Test } from 'tap';

/** Where Debian and others put Chromium. */
const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const program = process.env['PARLEY_TEST_CHROMIUM'] ?? PROGRAMS.find((path) => existsSync(path));
/** The limit of each wait: much more than it takes, for machines where many wait for the processor. */
const PATIENCE_MS = 60_000;

/** Why tests in a browser cannot run; false where they can. */
export const noBrowser = program === undefined ? 'no chromium' : false;

/** Starts a browser, which ends with the test: an error that any of its pages did not catch fails it. */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await puppeteer.launch({
    executablePath: program,
    // The tests may run as root, where there is no sandbox, and in containers with a small /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
    timeout: PATIENCE_MS,
    protocolTimeout: PATIENCE_MS,
  });
  const uncaught: string[] = [];
  browser.on('targetcreated', (target) => {
    if (target.type() !== TargetType.PAGE) return;
    const where = target.url();
    target.page().then(
      (page) => page?.on('pageerror', (error) => uncaught.push(`${where}: ${String(error)}`)),
      // It was closed at once.
      () => undefined,
    );
  });
  t.teardown(async () => {
    await browser.close();
    if (uncaught.length > 0) throw new Error(`pages caught no ${uncaught.join('; ')}`);
  });
  return browser;
}

/** A page as in a browser of its own, with its faults. */
export interface Tab {
  readonly page: Page;
  /** Errors of scripts, and what the page tried against its policy. */
  readonly faults: string[];
}

export async function openTab(browser: Browser, url: string): Promise<Tab> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const faults: string[] = [];
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => {
    // Requests that fail while the server is away are no fault.
    const isFault = message.type() === 'error' && /Content Security|Uncaught/.test(message.text());
    if (isFault) faults.push(message.text());
  });
  // Nobody is there to answer: e.g. whether to leave a page that still has something to send.
  page.on('dialog', (dialog) => {
    faults.push(`asks ${dialog.type()}: ${dialog.message()}`);
    void dialog.accept();
  });
  page.on('request', (request) => {
    const isOwn =
      request.url().startsWith(new URL(url).origin) || /^(data|blob|about):/.test(request.url());
    if (!isOwn) faults.push(`fetches ${request.url()}`);
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, faults };
}

/** Logs in by the form of the page. */
export async function logIn({ page }: Tab, email: string, password: string): Promise<void> {
  await page.type('#username', email);
  await page.type('#password', password);
  await page.click('#login button');
  await page.waitForSelector('.sidebar');
}

/** Waits until an expression of the page is true. */
export async function until({ page }: Tab, expression: string): Promise<void> {
  await page.waitForFunction(expression, { polling: 50 });
}

/** Goes to a part of the page by its address, and waits until the page has gone there. */
export async function go({ page }: Tab, address: string): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    if (location.hash === ${JSON.stringify(address)}) return resolve();
    addEventListener('hashchange', () => resolve(), { once: true });
    location.hash = ${JSON.stringify(address)};
  })`);
}

/**
 * Waits until the chat shows a view under its title. Address and messages say less: the one changes before what is
 * shown does, and another view may end with the same message.
 */
export async function isAt(tab: Tab, title: string): Promise<void> {
  await until(
    tab,
    `document.querySelector('.chat > main')?.ariaLabel === ${JSON.stringify(title)}`,
  );
}

/** Closes the dialog that is open, once it has the keys, and waits until it is gone. */
export async function closeDialog(tab: Tab): Promise<void> {
  await until(tab, `document.querySelector('dialog[open]')?.contains(document.activeElement)`);
  await tab.page.keyboard.press('Escape');
  await until(tab, `!document.querySelector('dialog')`);
}

/** The texts of all elements that match. */
export function textsOf({ page }: Tab, selector: string): Promise<string[]> {
  const expression = `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.textContent.trim())`;
  return page.evaluate(expression) as Promise<string[]>;
}

const axeFile = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What is wrong with the page for who reads it otherwise than by eye: rule and element, a line each. */
export async function accessibilityFaults({ page }: Tab): Promise<string[]> {
  const has = await page.evaluate(`'axe' in window`);
  if (!has) {
    // Past the policy of the page, which lets no other script in.
    const client = await page.createCDPSession();
    const { readFile } = await import('node:fs/promises');
    await client.send('Runtime.evaluate', { expression: await readFile(axeFile, 'utf8') });
    await client.detach();
  }
  return (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, any }) => id + ' ' + target + ' ' + (any[0]?.message ?? ''))))`)) as string[];
}

/** Finds nothing wrong at two widths, light and dark. */
export async function isAccessible(t: Test, tab: Tab, view: string): Promise<void> {
  const { page } = tab;
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ] as const) {
    await page.setViewport({ width, height });
    for (const value of ['light', 'dark']) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value }]);
      t.strictSame(await accessibilityFaults(tab), [], `${view}, ${width} pixels, ${value}`);
    }
  }
  await page.setViewport({ width: 1280, height: 800 });
}
