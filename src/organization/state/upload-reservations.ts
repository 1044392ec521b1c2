/** Bytes of files that are being stored and belong to no document yet, by user. */
export class UploadReservations {
  private readonly byUser = new Map<number, number>();
  private bytes = 0;

  get total(): number {
    return this.bytes;
  }

  of(userId: number): number {
    return this.byUser.get(userId) ?? 0;
  }

  /** @returns what gives the bytes back; further calls do nothing */
  add(userId: number, bytes: number): () => void {
    this.change(userId, bytes);
    let done = false;
    return () => {
      if (!done) this.change(userId, -bytes);
      done = true;
    };
  }

  private change(userId: number, bytes: number): void {
    this.bytes += bytes;
    const sum = this.of(userId) + bytes;
    if (sum === 0) this.byUser.delete(userId);
    else this.byUser.set(userId, sum);
  }
}
