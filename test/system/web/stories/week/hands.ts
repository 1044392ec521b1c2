/** What a person does with a page, by the names that it gives to things. */
import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from '../../../../fixtures/machine-load.js';
import { closeDialog, go, until, type Tab } from '../../../harness/browser.js';
import type { ApiClient } from '../../../harness/client.js';

/** Remembers each message whose end was in sight, by what the screen shows and nothing else. */
const WATCH = `{
  const seen = window.seen ??= new Set();
  const look = () => {
    const box = document.querySelector('.messages')?.getBoundingClientRect();
    for (const one of box ? document.querySelectorAll('.message[id]') : []) {
      const { bottom } = one.getBoundingClientRect();
      if (bottom > box.top && bottom <= box.bottom + 1) seen.add(Number(one.id.slice(8)));
    }
  };
  setInterval(look, 20);
}`;

/** The limit of a wait for the server, and the pause between two looks. Milliseconds. */
const PATIENCE_MS = 60_000;
const LOOK_MS = 50;

/** Waits until the server says so. @throws Error naming what did not come */
export async function comes(what: string, check: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + underLoad(PATIENCE_MS); !(await check()); await pause(LOOK_MS)) {
    if (Date.now() > end) throw new Error(`It did not come that ${what}`);
  }
}

/** The link to a conversation in the list of all. */
export function row(name: string): string {
  return `[...document.querySelectorAll('.rows a')].find((one) => one.querySelector('.name').textContent === ${JSON.stringify(name)})`;
}

/** One of the two, with a window of their own. */
export class Person {
  constructor(
    readonly tab: Tab,
    /** Another one after a new password, which ends its key. */
    public api: ApiClient,
  ) {}

  /** From now on, and on pages that are loaded later. */
  async watch(): Promise<void> {
    await this.tab.page.evaluate(WATCH);
  }

  /** Waits until it is true; a failure says what the page shows instead. */
  async see(expression: string): Promise<void> {
    try {
      await until(this.tab, expression);
    } catch {
      const shown = await this.look(`location.hash + ' ' + document.body.innerText.slice(0, 2000)`);
      throw new Error(`${expression} did not come: ${String(shown)}`);
    }
  }

  look(expression: string): Promise<unknown> {
    return this.tab.page.evaluate(expression);
  }

  /** Presses what has this name, once it is there and can be pressed. */
  async press(name: string, within = 'body'): Promise<void> {
    const found = `[...document.querySelectorAll(${JSON.stringify(`${within} :is(button, a, summary, [role=option])`)})]
      .find((one) => (one.ariaLabel ?? one.textContent.trim()) === ${JSON.stringify(name)} && !one.disabled && one.checkVisibility())`;
    // A wait begins again on the page that a click loads, so the click is no part of it. What is gone meanwhile is waited for again.
    do await this.see(`Boolean(${found})`);
    while (!(await this.look(`{ const it = ${found}; it?.click(); Boolean(it); }`)));
  }

  /** Chooses from the menu of the conversation that is open. */
  async choose(item: string): Promise<void> {
    await this.press('More for this conversation');
    await this.press(item, 'dialog.menu');
  }

  /** Chooses from the menu of a message. */
  async chooseOn(id: number, item: string): Promise<void> {
    await this.press('More', `#message-${id}`);
    await this.press(item, 'dialog.menu');
  }

  /** Puts a text into a field, in the place of what it has. */
  async fill(selector: string, text: string): Promise<void> {
    await this.tab.page.waitForSelector(selector);
    await this.look(`{
      const field = document.querySelector(${JSON.stringify(selector)});
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value');
      set.call(field, ${JSON.stringify(text)});
      field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input', { bubbles: true }));
    }`);
  }

  async type(text: string): Promise<void> {
    await this.tab.page.waitForSelector('#compose');
    await this.tab.page.focus('#compose');
    await this.tab.page.keyboard.type(text);
  }

  async write(text: string): Promise<void> {
    await this.type(text);
    await this.key('Enter');
  }

  key(key: 'Enter' | 'Escape' | 'Tab' | 'ArrowDown' | 'End'): Promise<void> {
    return this.tab.page.keyboard.press(key);
  }

  go(address: string): Promise<void> {
    return go(this.tab, address);
  }

  /** Goes to a conversation by its link in the list of all, and waits until the page is there. */
  async open(name: string, title: string): Promise<void> {
    await this.see(row(name));
    await this.look(`${row(name)}.click()`);
    await this.at(title);
  }

  /** Waits until the page shows a view under its title. */
  async at(title: string): Promise<void> {
    await this.see(
      `document.querySelector('.chat > main')?.ariaLabel === ${JSON.stringify(title)}`,
    );
  }

  closeDialog(): Promise<void> {
    return closeDialog(this.tab);
  }

  /** Waits until the conversation that is open ends with a text that the server has. */
  shows(text: string): Promise<void> {
    return this.see(`${LAST} === ${JSON.stringify(text)} && !document.querySelector('.outgoing')`);
  }

  /** Ids of what the server has as unread for them. */
  async unread(): Promise<number[]> {
    const { messages } = await this.api.okInTheEnd('GET', '/messages', {
      anchor: 'newest',
      num_before: 1000,
      num_after: 0,
      narrow: [{ operator: 'is', operand: 'unread' }],
    });
    return (messages as { id: number }[]).map(({ id }) => id);
  }

  /** Everything they may read, with its flags. */
  async all(): Promise<{ id: number; content: string; flags: string[]; sender_id: number }[]> {
    const { messages } = await this.api.okInTheEnd('GET', '/messages', {
      anchor: 'newest',
      num_before: 1000,
      num_after: 0,
      apply_markdown: false,
    });
    return messages as { id: number; content: string; flags: string[]; sender_id: number }[];
  }

  /** Does what loads the page anew, waits until it shows something, and goes on watching. */
  async anew(act: () => Promise<unknown>, shown: string): Promise<void> {
    const seen = [...(await this.seen())];
    await act();
    await this.see(shown);
    await this.look(`window.seen = new Set(${JSON.stringify(seen)})`);
    await this.watch();
  }

  async seen(): Promise<Set<number>> {
    return new Set((await this.look('[...window.seen]')) as number[]);
  }
}

const LAST = `[...document.querySelectorAll('.message[id] .content')].at(-1)?.textContent.trim()`;
