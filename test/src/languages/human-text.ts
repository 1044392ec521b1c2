import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** Attributes that people read or hear. */
const READ_ATTRIBUTES = ['aria-label', 'aria-description', 'title', 'placeholder', 'alt', 'label'];
/** Two words with a space between them, or one of several letters that ends a sentence. */
const WORDS = /\p{L}{2,}[,;:]? \p{L}{2,}|^\p{Lu}\p{L}{2,}[.!?…:]$/u;
const LETTERS = /\p{L}{2,}/u;
/** HTML of a template: what stands between its tags, and the attributes that people read. */
const TAGS = /<[^<>]*>/g;
const IN_TAG = new RegExp(`\\s(?:${READ_ATTRIBUTES.join('|')})="([^"]*\\p{L}{2,}[^"]*)"`, 'gu');

const ATTRIBUTE = /^ ?[\w-]+(="[^"]*")?$/;

/**
 * Text in a source that people read: of elements, of attributes that are read out, and strings of several words.
 * What faults and refusals say is none: clients and operators read it, in English.
 * @returns each with its line
 */
export function humanTexts(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const add = (node: ts.Node, said: string): void => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    found.push(`${file}:${line + 1} ${said.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node) || isForOthers(node, source)) return;
    if (isSelector(node) || isKey(node)) return;
    if (ts.isJsxText(node)) {
      if (LETTERS.test(node.text)) add(node, node.text);
    } else if (ts.isJsxAttribute(node)) {
      const name = node.name.getText();
      const { initializer } = node;
      if (initializer && ts.isStringLiteral(initializer)) {
        if (READ_ATTRIBUTES.includes(name) && LETTERS.test(initializer.text)) {
          add(node, initializer.text);
        }
        return;
      }
      // Of others, such as `class`, a text of several words is none for people.
      if (READ_ATTRIBUTES.includes(name)) visitRead(node);
      else if (!/^(class|style|d|viewBox|points|transform|sizes)$/.test(name)) {
        ts.forEachChild(node, visit);
      }
      return;
    } else if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'html') {
      const markup = templateText(node.template);
      for (const [, value] of markup.matchAll(IN_TAG)) add(node, value!);
      const shown = markup.replace(TAGS, ' ').replace(/&\w+;/g, ' ');
      // A template may be an attribute alone.
      if (LETTERS.test(shown) && !ATTRIBUTE.test(shown)) add(node, shown);
      ts.forEachChild(node.template, visit);
      return;
    } else if (ts.isTemplateExpression(node)) {
      if (WORDS.test(templateText(node))) add(node, templateText(node));
    } else if (ts.isStringLiteralLike(node) && WORDS.test(node.text)) add(node, node.text);
    ts.forEachChild(node, visit);
  };
  /** Of an attribute that is read: any word counts. */
  const visitRead = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isBinaryExpression(node)) return visit(node);
    if (ts.isStringLiteralLike(node) && LETTERS.test(node.text)) add(node, node.text);
    else if (ts.isTemplateExpression(node) && LETTERS.test(templateText(node))) {
      add(node, templateText(node));
    } else ts.forEachChild(node, visitRead);
  };
  visit(source);
  return found;
}

/** The text of a template, with a mark where a value stands. */
function templateText(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text;
  const { head, templateSpans } = template;
  return [head.text, ...templateSpans.map(({ literal }) => literal.text)].join('\u0001');
}

/** A call with a selector or a query of CSS. */
function isSelector(node: ts.Node): boolean {
  return (
    ts.isCallExpression(node) &&
    /(^|\.)(matches|closest|querySelector(All)?|matchMedia)$/.test(node.expression.getText())
  );
}

/** The name of a key, as it stands on keyboards. */
function isKey(node: ts.Node): boolean {
  return ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'kbd';
}

/** Calls and errors whose text programs and operators read. */
function isForOthers(node: ts.Node, source: ts.SourceFile): boolean {
  if (ts.isNewExpression(node)) return /Error$/.test(node.expression.getText());
  if (!ts.isCallExpression(node)) return false;
  const callee = node.expression.getText();
  return /(^|\.)(info|warn|error|debug|fatal)$/.test(callee) || fromErrors(source).has(callee);
}

const known = new WeakMap<ts.SourceFile, ReadonlySet<string>>();

/** What a source imports from the catalogue of refusals. */
function fromErrors(source: ts.SourceFile): ReadonlySet<string> {
  let names = known.get(source);
  if (!names) {
    names = new Set(
      source.statements.flatMap((one) => {
        if (!ts.isImportDeclaration(one)) return [];
        if (!/\/errors\//.test(one.moduleSpecifier.getText())) return [];
        const named = one.importClause?.namedBindings;
        return named && ts.isNamedImports(named) ? named.elements.map((el) => el.name.text) : [];
      }),
    );
    known.set(source, names);
  }
  return names;
}
