import { Component, type ComponentType, type FunctionComponent } from 'preact';
import { createElement } from 'preact';

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
