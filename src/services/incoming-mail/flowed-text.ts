/*
 * Text that flows (`format=flowed`, RFC 3676): a line that ends in a blank goes on in the next one, if that is quoted as
 * deep as it.
 */

/** How deep a line is quoted, by its marks before what was stuffed is taken away, and what it says. */
interface Line {
  readonly depth: number;
  readonly text: string;
}

/**
 * The text with whole lines, in which `>` begins a line that is quoted and no other: what was stuffed so that it is no
 * quotation gets a backslash, but in blocks of code, where that would stay.
 * @param delSp the blank at the end of a line is no part of it (`delsp=yes`)
 */
export function unflowed(text: string, delSp: boolean): string {
  const paragraphs: string[] = [];
  let pieces: string[] = [];
  let open: Line | null = null;
  let isCode = false;
  const end = (): void => {
    if (open) {
      const said = pieces.join('');
      if (/^[ \t]*(?:```|~~~)/.test(said)) isCode = !isCode;
      paragraphs.push(quoteMarks(open) + (isCode ? said : said.replace(/^([ \t]*)>/, '$1\\>')));
    }
    pieces = [];
    open = null;
  };
  for (const raw of text.split(/\r?\n/)) {
    const line = read(raw);
    // The line of a signature never flows, neither into the next (4.3) nor out of the one before.
    const isSignature = line.text === '-- ';
    if (open !== null && (open.depth !== line.depth || isSignature)) end();
    const flows = line.text.endsWith(' ') && !isSignature;
    open ??= line;
    pieces.push(flows && delSp ? line.text.slice(0, -1) : line.text);
    if (!flows) end();
  }
  end();
  return paragraphs.join('\n');
}

/** Quote marks stand first, then at most one blank that was put there so that the line is no other thing (4.4). */
function read(raw: string): Line {
  const depth = /^>*/.exec(raw)![0].length;
  const stuffed = raw.slice(depth);
  return { depth, text: stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed };
}

function quoteMarks({ depth, text }: Line): string {
  return depth === 0 ? '' : `${'>'.repeat(depth)}${text === '' ? '' : ' '}`;
}
