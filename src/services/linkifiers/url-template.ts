import { parseTemplate } from 'url-template';
import { LinkifierFault, type LinkifierField } from './fault.js';

/** A URL template (RFC 6570) that was checked. */
export interface UrlTemplate {
  /** Names of its variables, each once. */
  readonly variables: readonly string[];
  /** The address for these values; a missing one is left out as the RFC says. */
  expand(values: Readonly<Record<string, string>>): string;
}

const NAME = String.raw`(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*`;
/** `name`, `name:3` or `name*`. */
const VARIABLE = String.raw`${NAME}(?::[1-9][0-9]{0,3}|\*)?`;
const EXPRESSION = new RegExp(String.raw`^[+#./;?&]?(${VARIABLE}(?:,${VARIABLE})*)$`);
/** Variables that a template names in all: each may hold what was matched, three bytes a character. */
const MAX_INSERTIONS = 50;
/** RFC 6570 section 2.1, and `'`, which people write in addresses nevertheless. */
const FORBIDDEN_LITERAL = /[\s"<>\\^`{|}\p{Cc}]/u;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
/** Where links may lead; a scheme may also come from the text that is linked. */
const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/;
const SAFE_SCHEMES = new Set(['http', 'https', 'mailto']);

/**
 * Reads a template as strictly as the RFC: a library's parser takes anything.
 * @throws LinkifierFault
 */
export function readUrlTemplate(text: string, field: LinkifierField): UrlTemplate {
  const invalid = () => new LinkifierFault(field, 'Invalid URL template.');
  const variables = new Set<string>();
  let insertions = 0;
  const literal = text.replace(/\{([^{}]*)\}/g, (_, expression: string) => {
    const list = EXPRESSION.exec(expression)?.[1];
    if (list === undefined) throw invalid();
    for (const one of list.split(',')) {
      insertions += 1;
      variables.add(one.replace(/(?::\d+|\*)$/, ''));
    }
    return '';
  });
  if (insertions > MAX_INSERTIONS) throw invalid();
  if (text === '' || FORBIDDEN_LITERAL.test(literal) || BAD_ESCAPE.test(literal)) throw invalid();
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme !== undefined && !SAFE_SCHEMES.has(scheme.toLowerCase())) throw invalid();
  const template = parseTemplate(text);
  return {
    variables: [...variables],
    expand: (values) => template.expand({ ...values }),
  };
}
