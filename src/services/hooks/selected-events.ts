/** Whether a kind of event is among those that are wanted, and not among those that are not; `*` is any letters. */
export function isSelected(
  event: string,
  only: readonly string[] | undefined,
  exclude: readonly string[] | undefined,
): boolean {
  if (only && !only.some((pattern) => matches(event, pattern))) return false;
  return !exclude?.some((pattern) => matches(event, pattern));
}

/** Compares part by part, so that no pattern takes long. */
function matches(event: string, pattern: string): boolean {
  const [first, ...rest] = pattern.split('*') as [string, ...string[]];
  if (rest.length === 0) return event === pattern;
  const last = rest.pop()!;
  if (!event.startsWith(first) || !event.endsWith(last)) return false;
  let from = first.length;
  const end = event.length - last.length;
  for (const part of rest) {
    const at = event.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= end;
}
