import type { Page, Target } from 'puppeteer-core';
import { go, type Tab } from '../../../harness/browser.js';
import { inPage, MARK, type Looked } from './in-page.js';
import type { Reader } from './scene.js';

export type Way = 'mouse' | 'keys' | 'touch';

/** How long something may take to come of a press; only what leads nowhere takes so long. Milliseconds. */
const PATIENCE_MS = 10_000;
/** A phone waits so long until a tap on a row has shown what is done to it (`chat.css`). Milliseconds. */
const SHOWN_MS = 250;
/** Times that a page is asked for. */
const MOST_LOADS = 6;
/** Dialogs that may lie above each other, and a few more. */
const MOST_LAYERS = 4;

/** What there is after a press, as `in-page.ts` tells it. */
export interface Outcome {
  /** What the page did; `opens` another page. Empty: nothing. */
  readonly did: readonly string[];
  /** What the server refused. */
  readonly refused: readonly string[];
  /** Path and hash. */
  readonly here: string;
  /** Dialogs that are open. */
  readonly layers: number;
  /** What stands at the top of what one can press. */
  readonly title: string;
  /** Whether that is where the round presses. */
  readonly isHere: boolean;
  /** When the page was loaded. */
  readonly born: number;
  /** Texts in another language than that of the page. */
  readonly strange: readonly string[];
  /** Pixels by which the page is wider than the window. */
  readonly excess: number;
  /** What the page tells as a fault. */
  readonly alert: string;
  readonly kinds: readonly string[];
}

interface Taken {
  readonly sort: 'file' | 'select' | 'text' | 'turn' | 'away' | 'press' | 'scroll';
  readonly x: number;
  readonly y: number;
  /** What is typed into it. */
  readonly sample: string;
}

/** The pages that somebody presses. */
export interface Place extends Looked {
  /** Where one begins, and another place of it. */
  readonly home: string;
  readonly elsewhere: string;
  /** Whether nobody is logged in there. */
  readonly isForVisitors?: boolean;
}

/** Somebody at a page, with one way to press things. */
export class Presser {
  private readonly opened: Target[] = [];
  private count = 0;

  constructor(
    readonly tab: Tab,
    private readonly url: string,
    private readonly reader: Pick<Reader, 'email' | 'password'>,
    private readonly way: Way,
    private readonly place: Place,
    /** A file that is there to be chosen. */
    private readonly file: string,
  ) {
    tab.page.browserContext().on('targetcreated', (target) => this.opened.push(target));
  }

  async begin(): Promise<Outcome> {
    await this.tab.page.evaluateOnNewDocument(inPage(this.place));
    return this.anew(this.place.home);
  }

  /** Shows a view as it is when one comes to it. */
  async reset(address: string): Promise<Outcome> {
    const { page } = this.tab;
    const now = await this.outcome();
    const [path, hash] = address.split('#');
    if (!now.isHere || hash === undefined || !now.here.startsWith(`${path}#`)) {
      return this.anew(address);
    }
    for (let { layers } = now, i = 0; layers > 0; i++) {
      if (i === MOST_LAYERS) throw new Error('a dialog does not close');
      await page.keyboard.press('Escape');
      ({ layers } = await this.outcome());
    }
    // What was begun in the view is over when one leaves it.
    if (now.here === address) await go(this.tab, this.place.elsewhere);
    await go(this.tab, `#${hash}`);
    return this.outcome();
  }

  /** Loads the page. */
  async anew(address: string): Promise<Outcome> {
    const { page } = this.tab;
    const { area, isForVisitors = false } = this.place;
    if (isForVisitors) await page.deleteCookie(...(await page.cookies(this.url)));
    for (const url of ['about:blank', this.url + address]) await this.load(url);
    await page.waitForSelector(isForVisitors ? area : `${area}, #username`);
    if (!isForVisitors && (await page.$(area)) === null) {
      await page.type('#username', this.reader.email);
      await page.type('#password', this.reader.password);
      await page.click('#login button');
      await page.waitForSelector(area).catch(async (error: unknown) => {
        const shown = await page.evaluate('document.body.innerText');
        throw new Error(`no ${area} after the login, but ${String(shown)}`, { cause: error });
      });
    }
    return this.outcome();
  }

  /** Again where the page was just being loaded by itself, as after another language was chosen. */
  private async load(url: string): Promise<void> {
    for (let i = 1; ; i++) {
      try {
        await this.tab.page.goto(url, { timeout: PATIENCE_MS });
        return;
      } catch (error) {
        if (i === MOST_LOADS) throw error;
      }
    }
  }

  /** Presses a thing of a kind. @returns null where there is none */
  async press(kind: string): Promise<Outcome | null> {
    const { page } = this.tab;
    this.count += 1;
    this.opened.length = 0;
    const text = `${MARK}${this.way}${this.count}`;
    const { email, password } = this.reader;
    const given = [kind, text, password, email].map((one) => JSON.stringify(one));
    const before = page.url();
    const born = await this.look('performance.timeOrigin');
    const taken = (await this.look(`pressing.take(${given.join()})`)) as Taken | null;
    if (!taken) return null;
    const { sort } = taken;
    if (sort === 'file') {
      const [chooser] = await Promise.all([page.waitForFileChooser(), this.touch(taken, 'Enter')]);
      await chooser.accept([this.file]);
    } else if (sort === 'select') {
      await this.touch(taken, null);
      await this.look('pressing.choose()');
    } else if (sort === 'text') {
      await this.touch(taken, null);
      await this.look('pressing.select()');
      await page.keyboard.type(taken.sample);
      await page.keyboard.press('Enter');
    } else if (sort === 'scroll') await this.look('pressing.focus()');
    else await this.touch(taken, sort === 'turn' ? 'Space' : 'Enter');
    if (sort === 'away') {
      const did = [await this.opens()];
      return { ...(await this.outcome()), did };
    }
    const outcome = await this.outcome(PATIENCE_MS);
    const isGone = page.url() !== before || outcome.born !== born;
    return isGone ? { ...outcome, did: [...outcome.did, 'goes'] } : outcome;
  }

  /** What is there, as soon as it is: a press may load another page. */
  private async outcome(ms = 0): Promise<Outcome> {
    return (await this.look(`pressing.outcome(${ms})`)) as Outcome;
  }

  private async look(expression: string): Promise<unknown> {
    const { page } = this.tab;
    for (let i = 0; ; i++) {
      try {
        return await page.evaluate(expression);
      } catch (error) {
        if (i === 3 || !/context|navigat|detached/i.test(String(error))) throw error;
        await page.waitForFunction(`document.readyState === 'complete'`);
      }
    }
  }

  private async touch({ x, y }: Taken, key: 'Enter' | 'Space' | null): Promise<void> {
    const { page } = this.tab;
    if (this.way === 'keys') {
      if (!(await this.look('pressing.focus()'))) throw new Error('it takes no focus');
      if (key) await page.keyboard.press(key);
      return;
    }
    let at = { x, y };
    if (this.way === 'mouse') await page.mouse.move(x, y);
    else if ((await this.above(at)) !== null) {
      const row = (await this.look('pressing.wake()')) as { x: number; y: number } | null;
      if (row) await page.touchscreen.tap(row.x, row.y);
      // On a machine with other work it takes longer.
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
        await new Promise((resolve) => setTimeout(resolve, SHOWN_MS));
        at = (await this.look('pressing.place()')) as { x: number; y: number };
        if (!row || (await this.above(at)) === null) break;
      }
    }
    const above = await this.above(at);
    if (above !== null) throw new Error(`above it lies ${above}`);
    if (this.way === 'mouse') await page.mouse.click(x, y);
    else await page.touchscreen.tap(at.x, at.y);
  }

  private async above({ x, y }: { x: number; y: number }): Promise<string | null> {
    return (await this.look(`pressing.above(${x}, ${y})`)) as string | null;
  }

  /** Looks at another page that was opened, and closes it. */
  private async opens(): Promise<string> {
    for (const end = Date.now() + PATIENCE_MS; this.opened.length === 0;) {
      if (Date.now() > end) return 'opens nothing';
      await this.look('pressing.settled()');
    }
    const page = await this.opened[0]!.page();
    if (!page) return 'opens nothing';
    const isOwn = await arrives(page, this.url);
    const status = isOwn && Number(await page.evaluate(STATUS));
    await page.close();
    return isOwn && status !== 200 ? `opens ${String(status)}` : 'opens';
  }
}

const STATUS = `performance.getEntriesByType('navigation')[0].responseStatus`;

/** Waits until a page of the server itself is there; of what lies elsewhere the address is enough. */
async function arrives(page: Page, url: string): Promise<boolean> {
  await page.waitForFunction(`location.href !== 'about:blank'`).catch(() => undefined);
  if (!page.url().startsWith(url)) return false;
  await page.waitForFunction(`document.readyState !== 'loading'`);
  return true;
}
