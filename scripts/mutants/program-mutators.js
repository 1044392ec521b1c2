/*
 * Mutators of what this program in particular can get wrong: who is told, when something is durable, which position,
 * which cache is dropped, which deadline, which key remains valid. They go by names, which the project uses as
 * CONTRIBUTING.md demands; what does not fit by its type, the compiler refuses (validity.js). `lines` tells where one
 * may be, so that a draw need not parse every file.
 */
import { calledName } from './usual-mutators.js';

const EMPTY = { type: 'EmptyStatement' };
const TO_ALL = object({ to: text('all') });
const TO_NOBODY = object({ to: text('users'), users: { type: 'ArrayExpression', elements: [] } });

/** Functions that return an audience or the people in it. */
const AUDIENCES =
  /audience|viewers|listeners|recipients|^withAccessTo|^seenBy|participants|subscribersOf/i;
const PEOPLE = /^(users|userIds|user_ids|viewerIds|recipients|except)$/;
const DURABLE = /durable|committed|flush|sync$|fsync/i;
const POSITIONS =
  /^(seq|position|head|cursor|durableHead|lastEventId|eventId|firstSeq|lastSeq|upTo|through)$/;
const CACHES = /^(delete|clear|forget\w*|drop\w*|invalidate\w*|evict\w*|reset\w*|remove|prune\w*)$/;
const DEADLINES =
  /(Ms|Seconds|Minutes|[dD]eadline|[eE]xpiry|[eE]xpires(At)?|dueAt|[tT]imeout|_ms|_seconds|_minutes)$/;
const ENDS_KEYS = /^(revoke|end|close|regenerate|deactivate|expire|cancel|release|unlock|lock)/;
const ENDED =
  /(expired|revoked|ended|deactivated|closed|forgotten|deleted|archived|left|isOver|isGone)$/i;
const VALID =
  /(is_active|isActive|valid|isCurrent|isMember|isOwn|holds|mayStill|isAlive|isBot|is_bot|admin)$/i;

export const programMutators = [
  {
    name: 'Audience',
    lines:
      /\bto: '|audience|viewers|listeners|recipients|withAccessTo|seenBy|participants|subscribersOf/i,
    *mutate(path) {
      if (path.isObjectExpression()) yield* otherAudiences(path.node);
      else if (
        isValueOf(path) &&
        path.isCallExpression() &&
        AUDIENCES.test(calledName(path.node))
      ) {
        yield TO_ALL;
        yield TO_NOBODY;
      }
    },
  },
  {
    name: 'Durable',
    lines: DURABLE,
    *mutate(path) {
      if (!path.isCallExpression() && !path.isAwaitExpression()) return;
      if (!DURABLE.test(calledName(path.node))) return;
      if (path.isAwaitExpression()) {
        yield {
          type: 'UnaryExpression',
          operator: 'void',
          prefix: true,
          argument: path.node.argument,
        };
      } else if (path.node.arguments.length > 0) {
        // What waits is done at once, or a reply is given as it is.
        const [first, second] = path.node.arguments;
        yield { type: 'CallExpression', callee: first, arguments: [] };
        if (second) yield second;
      }
    },
  },
  {
    name: 'Position',
    lines:
      /\b(seq|position|head|cursor|durableHead|lastEventId|eventId|firstSeq|lastSeq|upTo|through)\b/,
    *mutate(path) {
      if (!isRead(path) || !POSITIONS.test(lastName(path.node))) return;
      yield binary(path.node, '+', 1);
      yield binary(path.node, '-', 1);
    },
  },
  {
    name: 'CacheKept',
    lines: /\b(delete|clear|forget|drop|invalidate|evict|reset|remove|prune)\w*\(/,
    *mutate(path) {
      if (path.isExpressionStatement() && CACHES.test(calledName(path.node.expression)))
        yield EMPTY;
    },
  },
  {
    name: 'Deadline',
    lines:
      /(Ms|Seconds|Minutes|[dD]eadline|[eE]xpiry|[eE]xpires(At)?|dueAt|[tT]imeout|_ms|_seconds|_minutes)\b/,
    *mutate(path) {
      if (!isRead(path) || !DEADLINES.test(lastName(path.node))) return;
      yield binary(path.node, '*', 2);
      yield binary(path.node, '/', 2);
    },
  },
  {
    name: 'KeyValid',
    lines:
      /\b(revoke|end|close|regenerate|deactivate|expire|cancel|release|unlock|lock)\w*\(|(is_active|isActive|valid|isCurrent|isMember|isOwn|holds|mayStill|isAlive|isBot|is_bot|admin|expired|revoked|ended|deactivated|closed|forgotten|deleted|archived|left|isOver|isGone)\b/i,
    *mutate(path) {
      if (path.isExpressionStatement() && ENDS_KEYS.test(calledName(path.node.expression)))
        yield EMPTY;
      else if (path.isExpression() && !isCallee(path)) {
        const name = path.isCallExpression() ? calledName(path.node) : lastName(path.node);
        if (!path.isCallExpression() && !isRead(path)) return;
        if (ENDED.test(name)) yield { type: 'BooleanLiteral', value: false };
        else if (VALID.test(name)) yield { type: 'BooleanLiteral', value: true };
      }
    },
  },
];

/** The other audiences that one that is written out could be by mistake. */
function* otherAudiences(node) {
  const { properties } = node;
  const to = properties.find(({ key }) => key?.name === 'to')?.value?.value;
  if (to === undefined) return;
  yield to === 'all' ? TO_NOBODY : TO_ALL;
  for (const property of properties) {
    if (property.type !== 'ObjectProperty' || !PEOPLE.test(property.key.name ?? '')) continue;
    // Without the first of them.
    const callee = { type: 'MemberExpression', object: property.value, property: name('slice') };
    const fewer = {
      type: 'CallExpression',
      callee,
      arguments: [{ type: 'NumericLiteral', value: 1 }],
    };
    const changed = { type: 'ObjectProperty', key: property.key, value: fewer };
    yield { ...node, properties: properties.map((one) => (one === property ? changed : one)) };
  }
}

/** Whether a name or member is read for its value. */
function isRead(path) {
  if (!path.isIdentifier() && !path.isMemberExpression()) return false;
  return isValueOf(path) && !isCallee(path);
}

/** Whether an expression stands where a value is used as it is. */
function isValueOf({ node, parent }) {
  switch (parent.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'ReturnStatement':
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'UnaryExpression':
      return parent.operator !== 'delete' && parent.operator !== 'typeof';
    case 'CallExpression':
    case 'NewExpression':
      return parent.arguments.includes(node);
    case 'AssignmentExpression':
      return parent.right === node;
    case 'VariableDeclarator':
      return parent.init === node;
    case 'ObjectProperty':
      return parent.value === node && !parent.shorthand;
    case 'ArrowFunctionExpression':
      return parent.body === node;
    default:
      return false;
  }
}

function isCallee({ node, parent }) {
  return /CallExpression$/.test(parent.type) && parent.callee === node;
}

function lastName({ type, name: own, property }) {
  if (type === 'Identifier') return own;
  return type === 'MemberExpression' ? (property.name ?? '') : '';
}

function binary(left, operator, value) {
  return { type: 'BinaryExpression', left, operator, right: { type: 'NumericLiteral', value } };
}

function object(members) {
  return {
    type: 'ObjectExpression',
    properties: Object.entries(members).map(([key, value]) => ({
      type: 'ObjectProperty',
      key: name(key),
      value,
    })),
  };
}

function name(text) {
  return { type: 'Identifier', name: text };
}

function text(value) {
  return { type: 'StringLiteral', value };
}
