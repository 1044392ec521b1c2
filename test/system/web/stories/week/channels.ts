import type { Test } from 'tap';
import { row } from './hands.js';
import type { Week } from './week.js';

/** Chooses the last of a menu that is open, opens the menu, and looks after two frames whether it is. */
const CHOOSE_AND_OPEN_AGAIN = `(async () => {
  [...document.querySelectorAll('dialog.menu button')].at(-1).click();
  // What is drawn is drawn at the end of the turn.
  for (let i = 0; i < 20; i++) await null;
  document.querySelector('[aria-label="More for this conversation"]').click();
  for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
  return document.querySelector('dialog.menu[open]') !== null;
})()`;

/** Channels begin, change hands, and end. */
export async function channelsAndPeople(t: Test, { desk, phone, accessible }: Week): Promise<void> {
  const names = async (): Promise<string[]> => {
    const { streams } = await desk.api.ok('GET', '/streams', { include_all: true });
    return (streams as { name: string }[]).map(({ name }) => name).sort();
  };

  await t.test(
    'a channel is asked for, described, left and joined; no typo makes one',
    async (t) => {
      const before = await names();
      await desk.press('Browse channels', 'nav');
      await desk.fill('[aria-label="Find channels"]', 'wtach');
      await desk.see(`/No channel is named so/.test(document.querySelector('dialog').textContent)`);
      await desk.key('Enter');
      t.same(await names(), before);
      await accessible(t, desk, 'browse channels');
      await desk.press('New channel …', 'dialog');
      await desk.fill('#new-name', 'watch');
      await desk.fill('#new-description', 'Who stands on the wall');
      await accessible(t, desk, 'new channel');
      await desk.press('Create channel', 'dialog');
      await desk.at('#watch');
      t.match(
        await desk.look(`document.querySelector('.about').textContent`),
        /^1 member · Who stands/,
      );

      await phone.go('#/home');
      await phone.press('Browse channels', 'nav');
      await phone.press('Join watch', 'dialog');
      await phone.press('Leave watch', 'dialog');
      await phone.press('Join watch', 'dialog');
      await phone.see(`document.querySelector('[aria-label="Leave watch"]')`);
      await accessible(t, phone, 'browse channels on a phone');
      await phone.closeDialog();
      await phone.open('watch', '#watch');

      await desk.press('2 members · Who stands on the wall', 'main');
      await desk.fill('#channel-description', 'The wall, by night');
      await accessible(t, desk, 'channel');
      await desk.press('Save', 'dialog');
      await phone.see(`/The wall, by night/.test(document.querySelector('.about').textContent)`);
      await desk.closeDialog();
    },
  );

  await t.test('channels are muted, topics followed', async (t) => {
    await desk.choose('Mute channel');
    await desk.see(`${row('watch')}.classList.contains('muted')`);
    await phone.fill('[aria-label=Topic]', 'moon');
    await phone.write('It is cold');
    await phone.at('#watch › moon');
    await desk.open('moon', '#watch › moon');
    await desk.shows('It is cold');
    await desk.choose('Follow topic');
    await desk.see(
      `/followed/.test(${row('moon')}.textContent) && !${row('moon')}.classList.contains('muted')`,
    );
    await desk.choose('Mute topic');
    await desk.see(`${row('moon')}.classList.contains('muted')`);
    // Before the browser draws a frame, in which it tells that the first one is closed.
    await desk.press('More for this conversation');
    t.ok(await desk.look(CHOOSE_AND_OPEN_AGAIN), 'a menu that is opened again at once stays open');
    await desk.closeDialog();
    await desk.press('watch', '.title');
    await desk.at('#watch');
    await desk.choose('Unmute channel');
    await desk.see(`!${row('watch')}.classList.contains('muted')`);
  });

  await t.test('a private channel shows to those who are added', async (t) => {
    await desk.press('New channel', 'nav');
    await desk.fill('#new-name', 'council');
    await desk.look(`document.querySelectorAll('[name=kind]')[1].click()`);
    await desk.press('Create channel', 'dialog');
    await desk.at('#council');
    await desk.see(`document.querySelector('.title .icon-lock')`);
    t.equal(await phone.look(`${row('council')} === undefined`), true);
    await desk.choose('Description and members …');
    await desk.press('Add people …', 'dialog');
    await desk.fill('dialog [aria-label="Find people"]', 'haml');
    await desk.see(`document.querySelectorAll('.people-picker li').length === 1`);
    await desk.look(`document.querySelector('.people-picker input[type=checkbox]').click()`);
    await desk.press('Add', 'dialog');
    await desk.see(
      `/Hamlet/.test(document.querySelector('[aria-label=Members] .list').textContent)`,
    );
    await desk.closeDialog();
    await phone.go('#/home');
    await phone.open('council', '#council');
    await phone.choose('Leave channel');
    await phone.press('Leave', 'dialog.part');
    await phone.see(`!${row('council')}`);
  });
}
