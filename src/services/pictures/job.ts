/** What processes tell each other about one picture. */

/** Width and height of pictures of people, in pixels. */
export const AVATAR_PIXELS = { normal: 100, medium: 500 } as const;

/** What an uploaded picture is to become. */
export type PictureKind = 'avatar' | 'emoji' | 'icon' | 'logo' | 'thumbnail';

/** A picture to be worked on. */
export interface PictureJob {
  readonly kind: PictureKind;
  /** The file as it was uploaded. */
  readonly data: Uint8Array;
}

/** A picture of a person in both sizes, PNG. */
export interface Avatar {
  readonly normal: Buffer;
  readonly medium: Buffer;
}

/** A custom emoji's picture: GIF with a still PNG where it moves, else PNG. */
export interface EmojiPicture {
  readonly picture: Buffer;
  readonly still: Buffer | null;
}

/** What is shown of a picture below a message, WebP, and what is said of it. */
export interface Thumbnails {
  /** Of the whole picture as it is shown, pixels. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly still: Buffer;
  /** Of a picture that moves. */
  readonly moving: Buffer | null;
}

/** What each kind of picture becomes. */
export interface PictureResults {
  readonly avatar: Avatar;
  readonly emoji: EmojiPicture;
  readonly icon: Buffer;
  readonly logo: Buffer;
  readonly thumbnail: Thumbnails;
}

/** What a worker says of a job: first that it begins, then how it ended. */
export type PictureMessage =
  | { readonly began: true }
  | { readonly result: PictureResults[PictureKind] }
  | { readonly refused: 'undecodable' | 'too_large' };
