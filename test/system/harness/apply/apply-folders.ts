import type { Body, Snapshot, WireEvent } from '../client.js';

type Folder = Body & { readonly id: number; readonly order: number };

/** The channel folders, as a client keeps them from `channel_folder` events. */
export class FolderState {
  private folders: Folder[] | undefined;

  constructor(snapshot: Snapshot) {
    this.folders = structuredClone(snapshot.channel_folders as Folder[] | undefined);
  }

  /** @throws Error when an event does not fit what this client knows */
  apply(event: WireEvent): void {
    if (event.type !== 'channel_folder' || !this.folders) return;
    const id = (event.channel_folder as Folder | undefined)?.id ?? event.channel_folder_id;
    const known = this.folders.some((one) => one.id === id);
    if (event.op === 'reorder') this.reorder(event.order as number[]);
    else if (known === (event.op === 'add'))
      throw new Error(`${String(event.op)} of ${String(id)}`);
    if (event.op === 'add') this.folders.push(event.channel_folder as Folder);
    if (event.op === 'update') {
      const data = event.data as Body;
      this.folders = this.folders.map((one) => (one.id === id ? { ...one, ...data } : one));
    }
  }

  fields(): Body {
    return { channel_folders: this.folders };
  }

  private reorder(order: readonly number[]): void {
    const byId = new Map(this.folders!.map((folder) => [folder.id, folder]));
    if (byId.size !== order.length) throw new Error('an order of other folders');
    this.folders = order.map((id, place) => ({ ...byId.get(id)!, order: place }));
  }
}
