import { isDeepStrictEqual } from 'node:util';
import { Same, Strict } from 'tcompare';

/*
 * Makes comparisons cheap where they hold (`node --import`): `t.same` and `t.strictSame` print both sides before they
 * judge them, 15 ms for a snapshot of an organization, and the tests compare thousands. What is equal by Node's
 * strictest comparison needs no print; differences are printed as ever.
 */

const print: (this: Same) => string = Reflect.get(Same.prototype, 'print');

Same.prototype.print = function (this: Same): string {
  const plain = this.constructor === Strict || this.constructor === Same;
  const equal = plain && this.parent === null && isDeepStrictEqual(this.object, this.expect);
  return equal ? '' : print.call(this);
};
