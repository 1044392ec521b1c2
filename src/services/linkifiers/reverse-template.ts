import { LinkifierFault } from './fault.js';

/** What a reverse template is made of: literal text, or the name of a variable. */
type Part = { readonly text: string } | { readonly name: string };

/** `{{` and `}}` are literal braces, `{name}` is a variable, any other brace is a mistake. */
const PARTS = /\{\{|\}\}|\{([A-Za-z_][A-Za-z0-9_]*)\}|[{}]|[^{}]+/g;

/** A reverse template (specification-endpoints.md#add-linkifier): from the variables of a link back to the text. */
export class ReverseTemplate {
  private constructor(private readonly parts: readonly Part[]) {}

  /** @throws LinkifierFault */
  static read(text: string): ReverseTemplate {
    const parts: Part[] = [];
    for (const [token, name] of text.matchAll(PARTS)) {
      if (name !== undefined) parts.push({ name });
      else if (token === '{' || token === '}') {
        throw new LinkifierFault('reverse_template', 'Invalid reverse template.');
      } else parts.push({ text: token === '{{' ? '{' : token === '}}' ? '}' : token });
    }
    return new ReverseTemplate(parts);
  }

  /** Names of its variables, in order. */
  get variables(): string[] {
    return this.parts.flatMap((part) => ('name' in part ? [part.name] : []));
  }

  apply(values: Readonly<Record<string, string>>): string {
    return this.parts
      .map((part) => ('name' in part ? (values[part.name] ?? '') : part.text))
      .join('');
  }
}
