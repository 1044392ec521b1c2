/** The pages in Chromium: one browser for all, since its start costs more than a page. */
import t from 'tap';
import { shareOf } from '../../shares.js';
import { noBrowser, openBrowser } from '../harness/browser.js';
import { administrates } from './stories/administration.js';
import { twoPeopleChat } from './stories/chat.js';
import { operatorsLook } from './stories/console.js';
import { firstTeam } from './stories/first-team.js';
import { pressEverything } from './stories/press-everything.js';
import { rowsFollow } from './stories/rows.js';
import { logsInByProvider } from './stories/single-sign-on.js';
import { asksForCode } from './stories/two-factor.js';
import { workingWeek } from './stories/week/week.js';

// Some 220 s on an idle machine, where one of the three presses everything; machines that build other things, too, take
// several times as long, and the night presses nine times as much.
t.setTimeout(7_200_000);

void t.test('pages in a browser', { skip: noBrowser }, async (t) => {
  const browser = await openBrowser(t);
  const stories = {
    'from one command to two people who talk': firstTeam,
    'two people chat in two browsers': twoPeopleChat,
    'rows show what there is now': rowsFollow,
    'something comes of everything that can be pressed': pressEverything,
    'two people live in the chat for a working week': workingWeek,
    'the console': operatorsLook,
    'administrators change things in the console': administrates,
    'the form asks for a code where one is needed': asksForCode,
    'the button leads through the provider to the chat': logsInByProvider,
  };
  // Each platform of a landing takes a third of them.
  for (const [title, story] of shareOf(Object.entries(stories))) {
    await t.test(title, (t) => story(t, browser));
  }
});
