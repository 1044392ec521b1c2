/** Programs by which messages were sent, numbered as they come. */
export class Clients {
  private readonly ids = new Map<string, number>();

  idOf(name: string): number {
    let id = this.ids.get(name);
    if (id === undefined) this.ids.set(name, (id = this.ids.size + 1));
    return id;
  }

  rows(): { readonly id: number; readonly name: string }[] {
    return Array.from(this.ids, ([name, id]) => ({ id, name }));
  }
}
