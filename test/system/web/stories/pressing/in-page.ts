/**
 * What runs inside the page, from before its own scripts on: it finds what can be pressed, and notes what comes of a press.
 * Words with {@link MARK} are data of the scene: things that differ in them alone are of one kind.
 */

/** In every name, topic and text of the scene. */
export const MARK = 'qx';

/** What a round looks for. */
export interface Looked {
  /** What is there where the round presses: a selector. */
  readonly area: string;
  /** Texts that no page in this language may have, as regular expressions. */
  readonly strange: readonly string[];
}

export function inPage(looked: Looked): string {
  return `{ const LOOKED = ${JSON.stringify(looked)};\n${SCRIPT}`;
}

const SCRIPT = `
  const happened = [], refused = [];
  let pending = 0, pressed = null;
  const note = (what) => void happened.push(what);

  new MutationObserver(() => note('draws')).observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
  addEventListener('hashchange', () => note('goes'));
  for (const name of ['input', 'change', 'toggle', 'invalid', 'play', 'submit']) addEventListener(name, () => note(name), true);
  addEventListener('focusin', ({ target }) => pressed && !pressed.contains(target) && note('focuses'));

  const ask = fetch;
  /** Figures that the page asks for all the time wait while something is pressed: they draw, too. */
  let held = null, look = '';
  window.fetch = async (input, init) => {
    const url = new URL(input.url ?? input, location.href), path = url.pathname;
    const isGet = (init?.method ?? 'GET') === 'GET';
    if (isGet && path.endsWith('/realm/console')) {
      url.searchParams.delete('events_after');
      // The first of a view has the charts with it.
      const isAgain = look === url.search && url.searchParams.get('with_charts') !== 'true';
      look = url.search;
      if (isAgain) await held?.over;
    }
    const isLong = path.endsWith('/events') && isGet;
    if (!isLong) pending += 1;
    try {
      const reply = await ask(input, init);
      if (reply.status >= 400 && !location.pathname.startsWith('/docs')) refused.push((init?.method ?? 'GET') + ' ' + path + ': ' + (await reply.clone().text()).slice(0, 200));
      return reply;
    } finally {
      // What follows is drawn first.
      if (!isLong) setTimeout(() => (pending -= 1));
    }
  };

  const FOCUSABLE = ':is(a[href], button, input, select, textarea, summary, audio[controls], video[controls], [tabindex])';
  const LANDMARKS = 'dialog, nav, table, main, header, footer, form, section, fieldset, article, ul, details, .content, .picker, .composer';
  /** Names in there are no names of kinds: what people wrote, conversations, and all emoji. */
  const UNNAMED = '.content, .picker div, .poll, .rows, .inbox, .place, .about, td :not([aria-label]), .services, .swagger-ui *';
  const layer = () => [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const shownOf = (one) => (one.matches('[type=file]') ? one.closest('label') : one);
  /** The list of all schemas is the viewer's, which goes on for ever. */
  const isThere = (one) => !one.disabled && !one.closest('.models') && one.tabIndex >= 0 && shownOf(one).checkVisibility();
  const words = (text) => (text ?? '').replaceAll(/\\S*${MARK}\\S*/gi, '·').replaceAll(/\\d+/g, '0').replaceAll(/\\s+/g, ' ').trim().slice(0, 60);
  const tagOf = (one) => one.localName + (one.classList[0] ? '.' + one.classList[0] : '');
  const nameOf = (one) => one.ariaLabel ?? (one.labels?.length ? one.labels[0].textContent : (one.placeholder ?? one.textContent));

  const titleOf = (dialog) => dialog?.querySelector('h2')?.textContent ?? dialog?.ariaLabel ?? '';

  /** Where it stands, what it is, and how it is called. */
  const kindOf = (one) => {
    const place = [];
    for (let at = one.parentElement?.closest(LANDMARKS); at; at = at.parentElement?.closest(LANDMARKS)) place.unshift(tagOf(at));
    const title = words(titleOf(one.closest('dialog')));
    const icon = one.querySelector('.icon')?.classList[1] ?? '';
    const type = one.type && one.localName === 'input' ? ':' + one.type : '';
    const marks = [...one.classList, one.getAttribute('role') ?? '', one.name ?? ''].filter((each) => each !== '' && !/${MARK}/.test(each));
    const name = one.closest(UNNAMED) || one.matches('textarea') ? (one.querySelector('img') ? 'picture' : '') : words(nameOf(one));
    return [title, [...new Set(place)].join(' '), one.localName + type, marks.join('.'), icon, name].filter((part) => part !== '').join(' | ');
  };

  const all = () => {
    const found = new Map();
    for (const one of layer().querySelectorAll(FOCUSABLE)) {
      if (!isThere(one)) continue;
      const kind = kindOf(one);
      found.set(kind, [...(found.get(kind) ?? []), one]);
    }
    // A message of another and one's own are no more different than that they stand above and below.
    for (const [kind, ones] of [...found]) {
      if (ones.length > 1 && ones[0].matches('article :not(.content *, .picker *)')) found.set(kind + ' | last', [ones.at(-1)]);
    }
    return found;
  };

  const STRANGE = LOOKED.strange.map((one) => new RegExp(one));
  /** What people wrote, or what is the same in each language. */
  const WRITTEN = 'svg *, .timeline, .swagger-ui, .login, .content, .line-of-text, bdi, [dir=auto], option[lang], code, pre, script, style, textarea, .swagger-ui *';
  const known = new Map();
  const isStrange = (text) => {
    if (!known.has(text)) known.set(text, STRANGE.some((one) => one.test(text)));
    return known.get(text);
  };
  /** Texts of the page that are in another language. */
  const strange = () => {
    const found = [];
    // The contract is in English.
    if (location.pathname.startsWith('/docs')) return found;
    for (const one of document.querySelectorAll('body, body *')) {
      if (one.closest(WRITTEN) || !one.checkVisibility()) continue;
      const texts = [...one.childNodes].filter((each) => each.nodeType === 3).map((each) => each.nodeValue);
      for (const text of [...texts, one.ariaLabel, one.placeholder, one.title]) {
        const said = (text ?? '').replaceAll(/\\S*${MARK}\\S*/gi, '').replaceAll(/\\w+ on \\w+/g, '').replaceAll(/\\s+/g, ' ').trim();
        if (said !== '' && isStrange(said)) found.push(said.slice(0, 80));
      }
    }
    return [...new Set(found)];
  };

  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  /** Until nothing is under way and nothing was drawn for a while. */
  const settled = async () => {
    for (let quiet = 0; quiet < 3; ) {
      const before = happened.length;
      await pause(12);
      quiet = pending === 0 && happened.length === before && document.readyState === 'complete' ? quiet + 1 : 0;
    }
  };
  const set = (field, value) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, value);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  };
  /** What is pressed otherwise than by a click. */
  const SORTS = {
    file: '[type=file]',
    select: 'select',
    text: 'textarea, input:not([type=checkbox], [type=radio])',
    turn: 'input, video, audio',
    // A picture of a message opens here.
    away: '[target=_blank]:not(.message a:has(img))',
    press: 'a, button, summary',
  };

  /** The middle of what was taken, once it rests. */
  const place = async () => {
    for (let at = ''; ; await pause(16)) {
      const shown = shownOf(pressed);
      const rects = [...shown.getClientRects()];
      const { x, y, width, height } = rects.at(-1) ?? shown.getBoundingClientRect();
      const before = at;
      at = [x, y, width, height].join();
      if (at === before) return { x: x + width / 2, y: y + height / 2 };
      shown.scrollIntoView({ block: 'center', behavior: 'instant' });
    }
  };

  const hold = () => {
    let end;
    return { over: new Promise((resolve) => (end = resolve)), end };
  };

  window.pressing = {
    settled,
    /** Takes something of a kind, puts it in sight, and fills what it would send. @returns null where there is none */
    take: async (kind, text, password, email) => {
      // What was asked for before is there.
      held?.end();
      held = hold();
      pressed = all().get(kind)?.[0] ?? null;
      if (!pressed) return null;
      for (const field of pressed.matches('button:not([type=button]), input') ? (pressed.form?.elements ?? []) : []) {
        if (field === pressed || !field.matches('input[name]:not([type=checkbox], [type=radio], [type=file], [type=hidden], [readonly])')) continue;
        if (field.type === 'password') set(field, password);
        else if (field.autocomplete === 'username') set(field, email);
        else if (field.type === 'email' && field.value === '') set(field, text + '@example.org');
        else if (field.value === '') set(field, text);
      }
      await settled();
      pressed = all().get(kind)?.[0] ?? null;
      if (!pressed) return null;
      happened.length = refused.length = 0;
      const sort = Object.keys(SORTS).find((one) => pressed.matches(SORTS[one])) ?? 'scroll';
      const samples = { password, url: 'https://example.org/', email: text + '@example.org', number: '7' };
      const sample = pressed.autocomplete === 'username' ? email : (samples[pressed.type] ?? text);
      return { sort, ...(await place()), sample };
    },
    /** What lies above what was taken, for a finger or the mouse; null where it is on top. */
    above: (x, y) => {
      const top = document.elementFromPoint(x, y);
      return shownOf(pressed).contains(top) ? null : top ? kindOf(top) : 'the end of the window';
    },
    /** Where a finger wakes the row of what was taken. */
    wake: () => {
      const row = pressed.closest('dialog') ? null : pressed.closest('article')?.getBoundingClientRect();
      return row ? { x: row.x + 4, y: row.bottom - 3 } : null;
    },
    place,
    /** What is typed takes the place of what only that form may have. */
    select: () => /url|number|email/.test(pressed.type) && pressed.select(),
    focus: () => (pressed.focus(), document.activeElement === pressed),
    choose: () => {
      pressed.selectedIndex = (pressed.selectedIndex + 1) % pressed.options.length;
      pressed.dispatchEvent(new Event('change', { bubbles: true }));
    },
    /** What came of the press, once something did or the time is over, and what is there now. */
    outcome: async (ms) => {
      const end = performance.now() + ms;
      for (;;) {
        await settled();
        const did = new Set(happened);
        did.delete('submit');
        // What is written in or scrolled by keys needs to have the keys; where one is one is led to in vain.
        const isEnough = 'input, textarea, video, audio, [aria-current], [aria-selected=true], :not(a, button, select, summary)';
        if (pressed && document.activeElement === pressed && pressed.matches(isEnough)) did.add('has the keys');
        if (did.size === 0 && pressed && performance.now() < end) continue;
        return {
          did: [...did],
          refused: refused.splice(0),
          here: location.pathname + location.hash,
          layers: document.querySelectorAll('dialog[open]').length,
          title: titleOf(layer()),
          isHere: document.querySelector(LOOKED.area) !== null,
          born: performance.timeOrigin,
          strange: strange(),
          excess: Math.max(0, document.scrollingElement.scrollWidth - innerWidth),
          alert: [...document.querySelectorAll('[role=alert]')].map((one) => one.textContent).join(),
          kinds: [...all().keys()],
        };
      }
    },
  };
}`;
