import { useLayoutEffect, useRef } from 'preact/hooks';
import { putNames, type Names } from './reading/names.js';
import { say } from './say.js';
import { wholeText } from './times.js';

/** Files of this server, which a browser gets by the cookie of its login. */
const UPLOAD = /^\/user_uploads\//;
const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i;

interface Props {
  readonly names: Names;
  /** {@link Model.facts}: names in the text are put anew where they changed. */
  readonly facts: number;
  readonly html: string;
  /** Who does what the message says (`/me waves`); absent where it is an ordinary one. */
  readonly actor?: string | undefined;
}

/** The HTML of a message, which the server made of its Markdown and cleaned. */
export function Content({ names, facts, html, actor }: Props) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const body = prepared(html);
    if (actor !== undefined) nameActor(body, actor);
    place.current!.replaceChildren(...body.childNodes);
  }, [html, actor]);
  useLayoutEffect(() => putNames(names, place.current!), [html, actor, facts]);
  return <div class="content" ref={place} />;
}

/** Read where nothing is fetched and nothing runs, then adapted to this page. */
function prepared(html: string): HTMLElement {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  for (const player of body.querySelectorAll<HTMLMediaElement>('video, audio')) play(player);
  for (const page of body.querySelectorAll('.message_embed_image')) {
    const style = page.getAttribute('data-style') ?? '';
    const picture = document.createElement('img');
    picture.alt = '';
    picture.setAttribute('src', /url\("(\/[^"]+)"\)/.exec(style)?.[1] ?? '');
    page.append(picture);
  }
  for (const picture of body.querySelectorAll<HTMLImageElement>('img.inline-image')) {
    const link = document.createElement('a');
    link.href = picture.dataset['originalSrc'] ?? '';
    link.title = picture.title;
    link.className = 'inline-image';
    picture.replaceWith(link);
    link.append(picture);
  }
  for (const picture of body.querySelectorAll('img')) {
    if (picture.classList.contains('image-loading-placeholder')) {
      picture.replaceWith(picture.alt === '' ? '…' : `${picture.alt} …`);
      continue;
    }
    const address = picture.getAttribute('src') ?? '';
    if (!picture.hasAttribute('alt'))
      picture.alt = picture.closest('a')?.title || say('message.picture');
    // What lies elsewhere is not fetched.
    if (!address.startsWith('/')) picture.replaceWith(picture.alt);
  }
  for (const link of body.querySelectorAll('a')) {
    const address = link.getAttribute('href') ?? '';
    if (UPLOAD.test(address)) {
      const isShown = body.querySelector('.message_inline_image, .inline-image') !== null;
      if (PICTURE.test(address) && !isShown) showPicture(link, address);
    }
    if (/^(?:\/?#)/.test(address)) link.setAttribute('href', address.replace(/^\//, ''));
    else {
      link.target = '_blank';
      link.relList.add('noopener', 'noreferrer');
    }
    // Around a picture, it has no text of its own.
    if (link.textContent.trim() === '') {
      const description = link.querySelector('img')?.alt;
      link.setAttribute('aria-label', description || link.title || say('message.picture'));
    }
  }
  for (const emoji of body.querySelectorAll('span.emoji')) {
    const code = /emoji-([0-9a-f-]+)/.exec(emoji.className)?.[1];
    if (code !== undefined) emoji.textContent = characterOf(code);
  }
  for (const time of body.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) time.textContent = wholeText(at);
  }
  // The page shows formulas by their MathML, not by this part, which is nothing without its styles.
  for (const drawn of body.querySelectorAll('.katex-html')) drawn.remove();
  // What is wider than the page is scrolled by keys, too.
  for (const code of body.querySelectorAll('pre')) code.tabIndex = 0;
  for (const table of body.querySelectorAll('table')) scrollable(table);
  for (const spoiler of body.querySelectorAll('.spoiler-block')) closed(spoiler);
  // A part is written in the direction of its first letter; code, always from the left.
  for (const part of body.children) {
    if (!part.matches('.codehilite, pre')) part.setAttribute('dir', 'auto');
  }
  return body;
}

/** What the HTML of a message says, in one line. */
export function textOf(html: string): string {
  const { body } = new DOMParser().parseFromString(withoutStyles(html), 'text/html');
  for (const drawn of body.querySelectorAll('.katex-html')) drawn.remove();
  return body.textContent.trim().replaceAll(/\s+/g, ' ');
}

/** Styles of messages as data: the policy of the page refuses them, with a line in the console for each. */
function withoutStyles(html: string): string {
  return html.replaceAll(/(<[^<>]*?\s)style="/g, '$1data-style="');
}

/** Columns keep their alignment; a table wider than the page is scrolled, by keys, too. */
function scrollable(table: HTMLTableElement): void {
  for (const cell of table.querySelectorAll<HTMLTableCellElement>('[data-style]')) {
    const align = /text-align:\s*(left|center|right)/.exec(cell.dataset['style']!)?.[1];
    cell.style.textAlign = align ?? '';
  }
  const box = document.createElement('div');
  box.className = 'wide';
  box.tabIndex = 0;
  table.replaceWith(box);
  box.append(table);
}

/** A spoiler opens when somebody wants to know. */
function closed(spoiler: Element): void {
  const [header, hidden] = ['.spoiler-header', '.spoiler-content'].map((part) =>
    spoiler.querySelector(part),
  );
  const [box, summary] = [document.createElement('details'), document.createElement('summary')];
  summary.append(...(header?.querySelector('p')?.childNodes ?? header?.childNodes ?? []));
  if (summary.textContent.trim() === '') summary.textContent = say('message.spoiler');
  box.append(summary, ...(hidden?.childNodes ?? []));
  spoiler.replaceWith(box);
}

/** Puts a name in the place of `/me`. */
function nameActor(body: HTMLElement, actor: string): void {
  const text = document.createTreeWalker(body, NodeFilter.SHOW_TEXT).nextNode();
  if (!text?.nodeValue?.startsWith('/me ')) return;
  const name = document.createElement('strong');
  name.textContent = actor;
  text.nodeValue = text.nodeValue.slice('/me'.length);
  text.parentNode!.insertBefore(name, text);
}

/** Puts the picture that a link leads to into the link. */
function showPicture(link: HTMLAnchorElement, address: string): void {
  const picture = document.createElement('img');
  picture.alt = '';
  picture.src = address;
  link.append(document.createElement('br'), picture);
}

/** A player of a file of this server stands in place of the link around it; of what lies elsewhere, the link is left. */
function play(player: HTMLMediaElement): void {
  const address = player.getAttribute('src') ?? '';
  const link = player.closest('a');
  if (UPLOAD.test(address)) {
    player.controls = true;
    player.preload = 'metadata';
    player.setAttribute(
      'aria-label',
      player.title || link?.title || address.slice(address.lastIndexOf('/') + 1),
    );
    link?.replaceWith(player);
  } else if (link) link.closest('.message_inline_video')?.remove();
  else {
    const to = document.createElement('a');
    to.href = address;
    to.textContent = player.title || address;
    player.replaceWith(to);
  }
}

/** The characters of a Unicode emoji, from `1f468-200d-1f33e`. */
export function characterOf(code: string): string {
  const points = code.split('-').map((one) => parseInt(one, 16));
  return points.every((point) => point > 0 && point <= 0x10ffff)
    ? String.fromCodePoint(...points)
    : code;
}
