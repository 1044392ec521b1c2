/** The text of a field of the form that is sent, without spaces around it. */
export function fieldOf(event: SubmitEvent, name: string): string {
  const value = new FormData(event.currentTarget as HTMLFormElement).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
