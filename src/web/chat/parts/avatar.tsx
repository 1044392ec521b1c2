interface Props {
  readonly userId: number;
  readonly url: string | null | undefined;
  /** Pixels. */
  readonly size: number;
}

/** The picture of a person, or the one that this server draws: nothing is fetched from elsewhere. */
export function Avatar({ userId, url, size }: Props) {
  const isOwn = typeof url === 'string' && new URL(url, location.href).origin === location.origin;
  const src = isOwn ? url : `/user_avatars/identicon/${userId}.png`;
  return <img class="avatar" src={src} alt="" width={size} height={size} loading="lazy" />;
}
