import t from 'tap';
import { outgoingCrashes, timeForCrashes } from '../harness/crowd/outgoing-crashes.js';
import { scaled } from '../harness/scale.js';

const CRASHES = scaled(3, 1000);

t.setTimeout(timeForCrashes(CRASHES));

void t.test(`${CRASHES} kills while mails, pushes and calls go out`, (t) =>
  outgoingCrashes(t, CRASHES),
);
