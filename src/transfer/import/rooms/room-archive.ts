/**
 * What an archive of a service with rooms has, in the form that the one import of all of them takes: people, rooms,
 * conversations, and messages by their places in the order of time. A reader for each service makes it.
 */
import type { Role } from '../../../../schemas/users/user-document.js';
import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji.js';

/** Somebody who wrote, reacted, was named or is in a list. */
export interface ArchivedPerson {
  /** Id there. */
  readonly key: string;
  readonly name: string;
  /** How an address is made where the archive has none: an account name there. */
  readonly handle: string;
  /** Empty for none. */
  readonly email: string;
  readonly role: Role;
  readonly isActive: boolean;
  readonly isBot: boolean;
  /** Place in the folder of files; empty for none. */
  readonly picture: string;
}

/** A room that becomes a channel. */
export interface ArchivedRoom {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly isArchived: boolean;
  /** Only those with rights over others may write. */
  readonly isReadOnly: boolean;
  /** UNIX seconds; 0 where the archive does not say. */
  readonly created: number;
  /** Name of a folder of channels; empty for none. */
  readonly folder: string;
  /** Ids there of who is in it, and of those who administer it. */
  readonly members: Iterable<string>;
  readonly administrators: readonly string[];
}

/** People who write to each other. */
export interface ArchivedConversation {
  readonly key: string;
  readonly members: Iterable<string>;
}

/** People who are named together. */
export interface ArchivedGroup {
  readonly name: string;
  readonly members: Iterable<string>;
}

/** A picture that has a name in texts and reactions. */
export interface ArchivedEmoji {
  readonly name: string;
  /** In the folder of files. */
  readonly place: string;
}

/** A reaction of one person. */
export interface ArchivedReaction {
  /** Characters of a Unicode emoji, or a name. */
  readonly emoji: string;
  readonly isName: boolean;
  readonly user: string;
}

/** A file that a message shows. */
export interface ArchivedFile {
  /** By which messages share it. */
  readonly id: string;
  readonly name: string;
  /** In the folder of files; empty where it is not there. */
  readonly place: string;
  /** Where the service keeps it; empty where it says nothing. */
  readonly address: string;
}

/** A message. */
export interface ArchivedMessage {
  /** By which the operator finds it. */
  readonly id: string;
  /** Of a room or conversation. */
  readonly place: string;
  /** Ignored in a conversation. */
  readonly topic: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Likewise; 0 for never. */
  readonly edited: number;
  readonly sender: string;
  /** Markdown, without the files. */
  readonly content: string;
  readonly files: readonly ArchivedFile[];
  readonly reactions: readonly ArchivedReaction[];
  readonly starredBy: readonly string[];
}

/** What ids and names of the archive mean here. */
export interface RoomNames {
  user(key: string): { readonly full_name: string; readonly user_id: number } | undefined;
  /** Name of a channel. */
  channel(key: string): string | undefined;
  emoji(name: string): CustomEmojiDocument | undefined;
  hasGroup(name: string): boolean;
}

/** An archive, once its lists are read. */
export interface RoomArchive {
  /** Name of the service. */
  readonly service: string;
  /** Says which archive it is: another one can't go on where this one stopped. */
  readonly digest: string;
  readonly people: readonly ArchivedPerson[];
  readonly rooms: readonly ArchivedRoom[];
  readonly conversations: readonly ArchivedConversation[];
  readonly groups: readonly ArchivedGroup[];
  readonly emoji: readonly ArchivedEmoji[];
  /** Place of the organization's picture; empty for none. */
  readonly icon: string;
  /** Where the places of files are. */
  readonly filesFolder: string;
  /** How many messages there are, those that are left out included. */
  readonly messageCount: number;
  /** A message by its place in the order of time; null where it is left out, which is noted. */
  message(at: number, names: RoomNames): Promise<ArchivedMessage | null>;
  /** Notes what no reader took. @param used places of files that were taken */
  noteLeftovers(used: ReadonlySet<string>): Promise<void>;
  close(): Promise<void>;
}
