import MarkdownParser from 'markdown-it';
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';

/**
 * The parser's tokens with their fields assigned. The library's own class defines each field by a call of
 * `Object.defineProperty`, which takes a sixth of the time of parsing. The states below do what the library's do, and
 * `quick-tokens.test.ts` compares them.
 */

type Nesting = Token['nesting'];

/** A token like any other of the library: its methods are those. */
interface TokenClass {
  new (type: string, tag: string, nesting: Nesting): Token;
  (this: Token, type: string, tag: string, nesting: Nesting): void;
}

const QuickToken = function (this: Token, type: string, tag: string, nesting: Nesting): void {
  this.type = type;
  this.tag = tag;
  this.attrs = null;
  this.map = null;
  this.nesting = nesting;
  this.level = 0;
  this.children = null;
  this.content = '';
  this.markup = '';
  this.info = '';
  this.meta = null;
  this.block = false;
  this.hidden = false;
} as TokenClass;
QuickToken.prototype = MarkdownParser.Token.prototype;

class QuickCore extends MarkdownParser.StateCore {
  constructor(...parts: ConstructorParameters<typeof StateCore>) {
    super(...parts);
    this.Token = QuickToken;
  }
}

class QuickBlock extends MarkdownParser.StateBlock {
  constructor(...parts: ConstructorParameters<typeof StateBlock>) {
    super(...parts);
    this.Token = QuickToken;
  }

  override push(type: string, tag: string, nesting: Nesting): Token {
    const token = new QuickToken(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level -= 1;
    token.level = this.level;
    if (nesting > 0) this.level += 1;
    this.tokens.push(token);
    return token;
  }
}

class QuickInline extends MarkdownParser.StateInline {
  constructor(...parts: ConstructorParameters<typeof StateInline>) {
    super(...parts);
    this.Token = QuickToken;
  }

  override pushPending(): Token {
    const token = new QuickToken('text', '', 0);
    token.content = this.pending;
    token.level = this.pendingLevel;
    this.tokens.push(token);
    this.pending = '';
    return token;
  }

  override push(type: string, tag: string, nesting: Nesting): Token {
    if (this.pending) this.pushPending();
    const token = new QuickToken(type, tag, nesting);
    let meta: (typeof this.tokens_meta)[number];
    if (nesting < 0) {
      this.level -= 1;
      this.delimiters = this._prev_delimiters.pop()!;
    }
    token.level = this.level;
    if (nesting > 0) {
      this.level += 1;
      this._prev_delimiters.push(this.delimiters);
      this.delimiters = [];
      meta = { delimiters: this.delimiters };
    }
    this.pendingLevel = this.level;
    this.tokens.push(token);
    this.tokens_meta.push(meta);
    return token;
  }
}

/** Lets a parser make its tokens quickly. */
export function quickTokens(md: MarkdownIt): void {
  md.core.State = QuickCore;
  md.block.State = QuickBlock;
  md.inline.State = QuickInline;
}
