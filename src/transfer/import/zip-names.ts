import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import type { Entry } from 'yauzl';
import { decode } from '../../services/text/decode.js';

/** The extra field of Info-ZIP with a name in UTF-8: a version, the checksum of the other name, this name. */
const UNICODE_PATH = 0x7075;
const UNICODE_PATH_HEAD = 5;

/**
 * The name of an entry. Many programs write UTF-8 and leave out the flag that says so, and some set it for what is none:
 * the bytes decide. What is no UTF-8 is code page 437, in which zip began.
 */
export function nameInZip(entry: Pick<Entry, 'fileNameRaw' | 'extraFields'>): string {
  const { fileNameRaw } = entry;
  const label = isUtf8(fileNameRaw) ? 'utf-8' : 'cp437';
  const name = unicodePath(entry) ?? decode(fileNameRaw, label);
  // Some programs for Windows write its separators.
  return name.replaceAll('\\', '/');
}

/** The name beside the name; undefined where there is none, or it belongs to another name. */
function unicodePath({
  fileNameRaw,
  extraFields,
}: Pick<Entry, 'fileNameRaw' | 'extraFields'>): string | undefined {
  const field = extraFields.find(({ id }) => id === UNICODE_PATH)?.data;
  if (!field || field.length <= UNICODE_PATH_HEAD || field[0] !== 1) return undefined;
  if (field.readUInt32LE(1) !== crc32(fileNameRaw)) return undefined;
  return decode(field.subarray(UNICODE_PATH_HEAD), 'utf-8');
}
