/*
 * Where a mutant would say nothing about the tests: words for people who read the contract or a log, which have
 * reviewers and tests of their own, and texts of errors that only a programmer's mistake can cause.
 */

/** Properties of schemas and commands that hold prose. */
const PROSE = new Set([
  'description',
  'summary',
  'title',
  'externalDocs',
  'example',
  'examples',
  'text',
]);
/** `log.warn(…)`, `this.log.info(…)`, `context.logger.error(…)`. */
const LOGGERS = new Set(['log', 'logger']);
/** Texts of more words are prose, wherever they stand in a schema. */
const NAME_WORDS = 3;

/**
 * @param path a Babel path
 * @param {string} kind name of the mutator
 */
export function isOutOfScope(path, kind) {
  // `export * as 'name'`: a name, though it is written as a text.
  if (path.parent?.type.endsWith('Specifier')) return true;
  for (let at = path; at; at = at.parentPath) {
    const { node, parent } = at;
    if (node.type === 'ObjectProperty' && at !== path && PROSE.has(node.key.name)) return true;
    if (node.type === 'CallExpression' && isLogging(node.callee)) return true;
    // A description with its example: `['Id of the file.', 1]`.
    if (node.type === 'ArrayExpression' && isProse(node.elements[0] ?? {})) return true;
    if (kind === 'StringLiteral' && parent?.type === 'NewExpression') {
      if (/^(Type)?Error$/.test(parent.callee.name)) return true;
    }
  }
  return isProse(path.node) || isDescription(path.node);
}

function isDescription({ type, properties }) {
  return type === 'ObjectExpression' && properties.every(({ key }) => PROSE.has(key?.name));
}

function isLogging({ type, object }) {
  if (type !== 'MemberExpression' && type !== 'OptionalMemberExpression') return false;
  return LOGGERS.has(object.name ?? object.property?.name);
}

function isProse({ type, value }) {
  return type === 'StringLiteral' && value.split(' ').length > NAME_WORDS && /^[A-Z]/.test(value);
}
