import { Component, type ComponentType, type FunctionComponent, createElement } from 'preact';

/** A component that is drawn again only where one of its properties is another value. */
export function pure<P extends object>(draw: FunctionComponent<P>): ComponentType<P> {
  return class Pure extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      const before = this.props as Readonly<Record<string, unknown>>;
      return Object.entries(next).some(([name, value]) => value !== before[name]);
    }

    override render(props: P) {
      return createElement(draw, props);
    }
  };
}

/** The text of a field of the form that is sent, without spaces around it. */
export function fieldOf(event: SubmitEvent, name: string): string {
  const value = new FormData(event.currentTarget as HTMLFormElement).get(name);
  return typeof value === 'string' ? value.trim() : '';
}
