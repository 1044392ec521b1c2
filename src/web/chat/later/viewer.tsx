import { useEffect, useState } from 'preact/hooks';
import type { Model } from '../model.js';
import { Dialog } from '../parts/dialog.js';
import { Icon, IconButton } from '../parts/icon.js';
import { say } from '../say.js';
import { isolated } from '../view.js';

/** How much larger a picture is shown than it fits. */
const ZOOMS = [1, 2, 4] as const;

interface Picture {
  readonly address: string;
  readonly name: string;
}

/** Shows a picture of the messages that are on the page, and leads to those before and after it. @param address of its file */
export function showViewer(model: Model, address: string): void {
  const pictures = picturesOnPage();
  const first = pictures.findIndex((one) => one.address === address);
  if (first < 0) return;
  model.surface.show(() => <Viewer model={model} pictures={pictures} first={first} />);
}

/** Each once, in the order of the messages. */
function picturesOnPage(): Picture[] {
  const links = document.querySelectorAll<HTMLAnchorElement>('.messages .content a:has(img)');
  const found = new Map<string, Picture>();
  for (const link of links) {
    const address = link.getAttribute('href') ?? '';
    const name = link.title || decodeURIComponent(address.slice(address.lastIndexOf('/') + 1));
    if (address.startsWith('/user_uploads/')) found.set(address, { address, name });
  }
  return [...found.values()];
}

interface Props {
  readonly model: Model;
  readonly pictures: readonly Picture[];
  readonly first: number;
}

function Viewer({ model, pictures, first }: Props) {
  const [at, setAt] = useState(first);
  const [zoom, setZoom] = useState(0);
  const { address, name } = pictures[at]!;
  const go = (by: number): void => {
    setZoom(0);
    setAt((before) => Math.min(pictures.length - 1, Math.max(0, before + by)));
  };
  const scale = (by: number): void =>
    setZoom((before) => Math.min(ZOOMS.length - 1, Math.max(0, before + by)));
  useEffect(() => {
    const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    const pressed = (event: KeyboardEvent): void => {
      const { key } = event;
      // A picture that is larger than its place is moved by these.
      const isArrow = (key === 'ArrowLeft' || key === 'ArrowRight') && zoom === 0;
      if (isArrow) go(key === forward ? 1 : -1);
      else if (key === '+' || key === '=') scale(1);
      else if (key === '-') scale(-1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', pressed);
    return () => document.removeEventListener('keydown', pressed);
  }, [zoom]);
  const count = pictures.length;
  return (
    <Dialog model={model} title={isolated(name)} kind="viewer">
      <p class="viewer-bar">
        <IconButton
          icon="back"
          label={say('viewer.previous')}
          disabled={at === 0}
          onClick={() => go(-1)}
        />
        <span role="status">{say('viewer.place', { number: at + 1, count })}</span>
        <IconButton
          icon="next"
          label={say('viewer.next')}
          disabled={at === count - 1}
          onClick={() => go(1)}
        />
        <IconButton
          icon="minus"
          label={say('viewer.smaller')}
          disabled={zoom === 0}
          onClick={() => scale(-1)}
        />
        <IconButton
          icon="plus"
          label={say('viewer.larger')}
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => scale(1)}
        />
        <a class="button-like" href={address} download={name}>
          <Icon name="down" /> {say('viewer.download')}
        </a>
      </p>
      <div class="viewed" tabIndex={0} role="group" aria-label={name}>
        <img
          key={address}
          class={`zoom-${ZOOMS[zoom]}`}
          src={address}
          alt={name}
          onClick={() => setZoom(zoom === 0 ? 1 : 0)}
        />
      </div>
    </Dialog>
  );
}
