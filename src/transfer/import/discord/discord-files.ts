/**
 * Files of DiscordChatExporter (https://github.com/Tyrrrz/DiscordChatExporter) in its JSON form: one for each channel and
 * thread, or several where they were divided, with any names. Files that it fetched lie beside them.
 */
import { dirname, join, normalize } from 'node:path';
import { open } from '../../../platform/files.js';
import { decode } from '../../../services/text/decode.js';
import { ArchiveError } from '../archive.js';
import type { JsonRow } from '../json-rows.js';
import { filesBelow } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { part } from '../rooms/row-values.js';

/** Bytes in which what stands before the messages must end: a channel's topic has 1024 characters. */
const MAX_HEAD = 64 * 1024;

/** Where the messages begin. Inside of a text each quotation mark has a backslash. */
const BEGINNING = /"messages"\s*:\s*\[/;

/** A file of messages. */
export interface DiscordFile {
  /** In the archive. */
  readonly place: string;
  readonly guild: JsonRow;
  readonly channel: JsonRow;
  /** Bytes. */
  readonly size: number;
}

/** The files of messages, in the order of their names. @throws ArchiveError where there are none */
export async function discordFiles(folder: string): Promise<DiscordFile[]> {
  const files: DiscordFile[] = [];
  for await (const place of filesBelow(folder)) {
    if (!place.toLowerCase().endsWith('.json')) continue;
    const found = await plainFile(join(folder, place));
    const head = found && (await headOf(join(folder, place)));
    if (!head) continue;
    const channel = part(head, 'channel');
    if (typeof channel['id'] !== 'string') continue;
    files.push({ place, guild: part(head, 'guild'), channel, size: found.size });
  }
  if (files.length > 0) return files;
  throw new ArchiveError(
    'There is no file of a channel: export with DiscordChatExporter and --format Json (HTML, CSV and text cannot be ' +
      'imported), and give the folder, or a zip of it',
  );
}

/** What stands before the messages; null where it is no such file. */
async function headOf(path: string): Promise<JsonRow | null> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_HEAD), 0, MAX_HEAD, 0);
    // One character for each byte.
    const at = buffer.toString('latin1', 0, bytesRead).search(BEGINNING);
    if (at < 0) return null;
    const head = decode(buffer.subarray(0, at));
    const value = JSON.parse(`${head}"messages":[]}`) as unknown;
    return value as JsonRow;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Where in the archive a file is that a row names: beside the file of messages, on Windows with backslashes. Empty for
 * an address, and for a place elsewhere on the machine that exported.
 */
export function placeOf(file: DiscordFile, url: string): string {
  if (url === '' || /^[a-z][a-z0-9+.-]+:/i.test(url)) return '';
  const place = normalize(join(dirname(file.place), url.replaceAll('\\', '/')));
  const isOutside = /^([a-z]:)?[\\/]/i.test(url) || place.startsWith('..');
  return isOutside ? '' : place;
}

/** An address at Discord without what lets anybody in for a day; empty for a place. */
export function addressOf(url: string): string {
  return /^https?:/i.test(url) ? url.replace(/\?.*$/s, '') : '';
}
