/** What HTML says of its charset, in the first bytes. */
const CHARSET = /<meta[^>]{0,200}charset=["']?\s*([\w.:-]{1,40})/i;
const CHARSET_BYTES = 1024;

/**
 * The charset that HTML names in its head; undefined where it names none. Whoever can read there that it is UTF-16 sees
 * that it is not: the HTML standard takes UTF-8 for it.
 */
export function charsetOfHtml(html: Uint8Array): string | undefined {
  const start = Buffer.from(html.subarray(0, CHARSET_BYTES)).toString('latin1');
  const named = CHARSET.exec(start)?.[1];
  return named !== undefined && /^utf-?16/i.test(named) ? 'utf-8' : named;
}
