/*
 * Mutators of any program that Stryker lacks: its own remove whole blocks, and change conditions, operators and texts.
 * Each takes a Babel path and yields nodes to put in its place, in Stryker's form of a mutator.
 */

const EMPTY = { type: 'EmptyStatement' };
const RETURN = { type: 'ReturnStatement', argument: null };

/** Words of a call that has an effect others see; `cache`, `key` and `audience` are in program-mutators.js. */
const TELLS = /^(emit|emitTo|tell|notify|announce|publish|wake|push|send)/;

/** Of these the order of arguments is nothing. */
const COMMUTATIVE = /^(min|max|is|imul|hypot|union|intersection)$/;

export const usualMutators = [
  {
    name: 'StatementRemoved',
    *mutate(path) {
      if (isDeed(path.node) && !TELLS.test(calledName(path.node.expression))) yield EMPTY;
    },
  },
  {
    name: 'EmitRemoved',
    *mutate(path) {
      if (isDeed(path.node) && TELLS.test(calledName(path.node.expression))) yield EMPTY;
    },
  },
  {
    name: 'ThrowRemoved',
    *mutate(path) {
      if (path.isThrowStatement()) yield EMPTY;
    },
  },
  {
    name: 'AwaitRemoved',
    *mutate(path) {
      if (path.isAwaitExpression()) yield path.node.argument;
    },
  },
  {
    name: 'ArgumentsSwapped',
    *mutate(path) {
      if (!path.isCallExpression() && !path.isNewExpression()) return;
      const given = path.node.arguments;
      if (COMMUTATIVE.test(calledName(path.node))) return;
      for (let i = 0; i + 1 < given.length; i++) {
        if (!isSwappable(given[i]) || !isSwappable(given[i + 1])) continue;
        yield { ...path.node, arguments: swapped(given, i) };
      }
    },
  },
  {
    name: 'NumberChanged',
    *mutate(path) {
      if (!path.isNumericLiteral() || isKey(path)) return;
      const { value } = path.node;
      for (const other of otherNumbers(value)) yield { type: 'NumericLiteral', value: other };
    },
  },
  {
    name: 'EarlyReturn',
    *mutate(path) {
      // The first statement of a function is Stryker's, who removes the whole block.
      if (isStatementOfFunction(path) && path.key > 0 && !path.isReturnStatement()) yield RETURN;
    },
  },
  {
    name: 'OrderSwapped',
    *mutate(path) {
      if (!path.isBlockStatement()) return;
      const { body } = path.node;
      for (let i = 0; i + 1 < body.length; i++) {
        if (isDeed(body[i]) && isDeed(body[i + 1])) yield { ...path.node, body: swapped(body, i) };
      }
    },
  },
  {
    name: 'OperandDropped',
    *mutate(path) {
      if (!path.isLogicalExpression()) return;
      yield path.node.left;
      yield path.node.right;
    },
  },
  {
    name: 'OptionalLeftOut',
    *mutate(path) {
      if (path.isObjectExpression()) {
        const { properties } = path.node;
        for (const left of properties) {
          yield { ...path.node, properties: properties.filter((one) => one !== left) };
        }
      } else if (path.isCallExpression() && path.node.arguments.length > 1) {
        yield { ...path.node, arguments: path.node.arguments.slice(0, -1) };
      }
    },
  },
];

/** Small numbers count or delimit, and are one off by mistake; others are a size or a time. */
function otherNumbers(value) {
  if (value >= 10) return [value * 2, Math.floor(value / 2)];
  return value > 0 ? [value + 1, value - 1] : [1];
}

/** A statement for its effect: a call, an assignment, a deletion. */
function isDeed({ type, expression }) {
  if (type !== 'ExpressionStatement') return false;
  const { type: what, operator, argument } = expression;
  if (what === 'AwaitExpression' || what === 'UnaryExpression') {
    return operator === 'delete' || operator === 'void' || argument.type === 'CallExpression';
  }
  return /^(CallExpression|OptionalCallExpression|AssignmentExpression|UpdateExpression)$/.test(
    what,
  );
}

/** The last name of what a statement calls; empty where it calls nothing. */
export function calledName({ type, callee, argument, expression }) {
  if (type === 'AwaitExpression' || type === 'UnaryExpression') return calledName(argument);
  if (type === 'TSNonNullExpression') return calledName(expression);
  if (callee === undefined) return '';
  return callee.name ?? callee.property?.name ?? '';
}

function isSwappable({ type }) {
  return !/Function|Spread|Template/.test(type);
}

function swapped(list, i) {
  return [...list.slice(0, i), list[i + 1], list[i], ...list.slice(i + 2)];
}

function isKey({ node, parent }) {
  return parent.type === 'ObjectProperty' && parent.key === node;
}

function isStatementOfFunction(path) {
  return (
    path.isStatement() &&
    path.listKey === 'body' &&
    path.parentPath?.parentPath?.isFunction() === true
  );
}
