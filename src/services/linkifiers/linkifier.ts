import { isSafeUrl } from '../markdown/links.js';
import type { TopicLink, TopicLinkifier } from '../markdown/topic-links.js';
import type { LinkifierBudget } from './budget.js';
import { LinkifierFault } from './fault.js';
import { LinkifierPattern } from './pattern.js';
import { readUrlTemplate, type UrlTemplate } from './url-template.js';

/** A linkifier as somebody wrote it (specification-endpoints.md#add-linkifier). */
export interface LinkifierSource {
  readonly pattern: string;
  readonly url_template: string;
  readonly example_input: string | null;
  readonly reverse_template: string | null;
  readonly alternative_url_templates: readonly string[];
}

/** Longest address, in UTF-16 units; longer ones work in few browsers. */
const MAX_URL_LENGTH = 2000;

/** A linkifier ready for use. */
export class Linkifier implements TopicLinkifier {
  private constructor(
    private readonly pattern: LinkifierPattern,
    private readonly template: UrlTemplate,
  ) {}

  /** Checks everything a linkifier says. @throws LinkifierFault */
  static read(source: LinkifierSource): Linkifier {
    const pattern = LinkifierPattern.read(source.pattern);
    const template = readUrlTemplate(source.url_template, 'url_template');
    assertSameNames(pattern, template, null);
    for (const alternative of source.alternative_url_templates) {
      const field = 'alternative_url_templates';
      assertSameNames(pattern, readUrlTemplate(alternative, field), field);
    }
    assertReversible(source, pattern);
    return new Linkifier(pattern, template);
  }

  /**
   * The links in a text from left to right; none where a link would lead to an unsafe place or have a very long
   * address, or where the text is not well-formed and therefore has no address. Throws for no text.
   */
  *linksIn(text: string, budget: LinkifierBudget): Iterable<TopicLink & { index: number }> {
    for (const match of this.pattern.matchesIn(text, (work) => budget.maySearch(work))) {
      if (!match.text.isWellFormed()) continue;
      const url = this.template.expand(match.groups);
      // Also what is not shown has cost something.
      budget.take(url);
      if (url.length <= MAX_URL_LENGTH && isSafeUrl(url)) {
        yield { index: match.index, text: match.text, url };
      }
    }
  }
}

function assertSameNames(
  pattern: LinkifierPattern,
  template: UrlTemplate,
  field: 'alternative_url_templates' | null,
): void {
  for (const name of template.variables) {
    if (pattern.names.includes(name)) continue;
    const text = `Group '${name}' in URL template is not present in linkifier pattern.`;
    throw new LinkifierFault(field, text);
  }
  for (const name of pattern.names) {
    if (template.variables.includes(name)) continue;
    const text = `Group '${name}' in linkifier pattern is not present in URL template.`;
    throw new LinkifierFault(field, text);
  }
}

/** The example must match, and the reverse template must give it back. */
function assertReversible(source: LinkifierSource, pattern: LinkifierPattern): void {
  const { example_input, reverse_template } = source;
  const groups = example_input === null ? null : pattern.groupsOf(example_input);
  if (example_input !== null && !groups) {
    throw new LinkifierFault('example_input', 'The example input does not match the pattern.');
  }
  if (reverse_template === null) return;
  if (example_input === null || !groups) {
    throw new LinkifierFault('example_input', 'A reverse template needs an example input.');
  }
  const reverse = ReverseTemplate.read(reverse_template);
  const unknown = reverse.variables.find((name) => !pattern.names.includes(name));
  if (unknown !== undefined) {
    throw new LinkifierFault(
      'reverse_template',
      `Variable '${unknown}' in reverse template is not present in linkifier pattern.`,
    );
  }
  if (reverse.apply(groups) !== example_input) {
    throw new LinkifierFault(
      'reverse_template',
      'The reverse template must reproduce the example input.',
    );
  }
}

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

  apply(values: ReadonlyMap<string, string>): string {
    return this.parts
      .map((part) => ('name' in part ? (values.get(part.name) ?? '') : part.text))
      .join('');
  }
}
