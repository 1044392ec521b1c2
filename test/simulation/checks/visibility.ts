/** Direct messages name in their text who may see them, so that whoever meets a text can tell. */

const MARK = /direct (\d+) to (\d+):/g;

export function directText(from: number, to: number, text: string): string {
  return `direct ${from} to ${to}: ${text}`;
}

/** Whether all direct messages of a text are from this user or for them. */
export function maySee(userId: number, text: string): boolean {
  for (const [, from, to] of text.matchAll(MARK)) {
    if (Number(from) !== userId && Number(to) !== userId) return false;
  }
  return true;
}
