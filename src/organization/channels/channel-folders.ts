import type { ChannelFolderDocument } from '../../../schemas/channels/channel-folders.js';
import { badRequest } from '../../errors/index.js';
import { invalidCharacterAt } from '../../services/text/stored-text.js';
import { channelDescription } from './channel-creation.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Name and description of a folder. */
type FolderText = Pick<ChannelFolderDocument, 'name' | 'description' | 'rendered_description'>;

/** New values of a folder; an absent one changes nothing. */
export type FolderChange = Partial<FolderText & Pick<ChannelFolderDocument, 'is_archived'>>;

/** Whether channels may be put into the folder. */
export function isUsableFolder(org: Organization, folderId: number): boolean {
  return org.channelFolders.get(folderId)?.is_archived === false;
}

/** Trims and checks a folder's name. @throws ApiError (errors-by-endpoint.md#by-endpoint) */
export function folderName(input: string): string {
  const name = input.trim();
  if (name === '') throw badRequest("Channel folder name can't be empty.");
  const position = invalidCharacterAt(name);
  if (position !== null) {
    throw badRequest(`Invalid character in channel folder name, at position ${position}.`);
  }
  return name;
}

/** The stored form of a folder's description. */
export const folderDescription = channelDescription;

/** Creates a folder, last in order (endpoints-channels.md#channel-folders). @throws ApiError when the name is taken */
export function createChannelFolder(
  tx: Transaction,
  creatorId: number,
  text: FolderText,
): ChannelFolderDocument {
  const { channelFolders, counters } = tx.org;
  requireFree(tx.org, text.name);
  const folder = channelFolders.insert({
    id: counters.next('channel_folder'),
    ...text,
    creator_id: creatorId,
    date_created: tx.seconds,
    // Folders are never removed, so their number is the next place.
    order: channelFolders.size,
    is_archived: false,
  });
  tx.emit('channel_folder', { to: 'all' }, { op: 'add', channel_folder: folder });
  return folder;
}

/**
 * Changes a folder; emits nothing where nothing changes (endpoints-channels.md#channel-folders).
 * @throws ApiError when it does not exist, its name is taken, or it still has channels and is to be archived
 */
export function changeChannelFolder(tx: Transaction, id: number, change: FolderChange): void {
  const { org } = tx;
  const folder = existingFolder(org, id);
  const data = Object.fromEntries(
    Object.entries(change).filter(([key, value]) => {
      return value !== undefined && value !== folder[key as keyof FolderChange];
    }),
  ) as FolderChange;
  if (Object.keys(data).length === 0) return;
  const archived = data.is_archived ?? folder.is_archived;
  if (data.is_archived) requireEmpty(org, id);
  // The name of an archived folder is free.
  if (!archived) requireFree(org, data.name ?? folder.name, id);
  org.channelFolders.update(id, data);
  tx.emit('channel_folder', { to: 'all' }, { op: 'update', channel_folder_id: id, data });
}

/**
 * Puts all folders in this order (endpoints-channels.md#channel-folders).
 * @throws ApiError when one is missing or twice
 */
export function reorderChannelFolders(tx: Transaction, order: readonly number[]): void {
  const { channelFolders } = tx.org;
  const all = new Set(order);
  if (all.size !== order.length || order.length !== channelFolders.size) throw badOrder();
  if (!order.every((id) => channelFolders.has(id))) throw badOrder();
  if (channelFolders.ordered().every((folder, place) => folder.id === order[place])) return;
  order.forEach((id, place) => channelFolders.update(id, { order: place }));
  tx.emit('channel_folder', { to: 'all' }, { op: 'reorder', order });
}

/** @throws ApiError `Invalid channel folder ID` */
function existingFolder(org: Organization, id: number): ChannelFolderDocument {
  const folder = org.channelFolders.get(id);
  if (!folder) throw badRequest('Invalid channel folder ID');
  return folder;
}

function requireFree(org: Organization, name: string, id?: number): void {
  const holder = org.channelFolders.live(name);
  if (holder && holder.id !== id) throw badRequest('Channel folder name already in use');
}

/** Archived channels count too: unarchived, they would be in an archived folder. */
function requireEmpty(org: Organization, id: number): void {
  for (const channel of org.channels.values()) {
    if (channel.folder_id === id) {
      throw badRequest('You need to remove all the channels from this folder to archive it.');
    }
  }
}

function badOrder(): Error {
  return badRequest('Invalid order mapping.');
}
