import type { Test } from 'tap';
import type { Week } from './week.js';

const ROW = (name: string): string =>
  `[...document.querySelectorAll('.rows a')].find((one) => one.querySelector('.name').textContent === '${name}')`;

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
      await desk.see(`document.querySelector('.title h1').textContent === 'watch'`);
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
      await phone.look(`${ROW('watch')}.click()`);

      await desk.press(
        (await desk.look(`document.querySelector('.about').textContent`)) as string,
        'main',
      );
      await desk.fill('#channel-description', 'The wall, by night');
      await accessible(t, desk, 'channel');
      await desk.press('Save', 'dialog');
      await phone.see(`/The wall, by night/.test(document.querySelector('.about').textContent)`);
      await desk.closeDialog();
    },
  );

  await t.test('channels are muted, topics followed', async () => {
    await desk.choose('Mute channel');
    await desk.see(`${ROW('watch')}.classList.contains('muted')`);
    await phone.fill('[aria-label=Topic]', 'moon');
    await phone.write('It is cold');
    await desk.see(ROW('moon'));
    await desk.look(`${ROW('moon')}.click()`);
    await desk.shows('It is cold');
    await desk.choose('Follow topic');
    await desk.see(
      `/followed/.test(${ROW('moon')}.textContent) && !${ROW('moon')}.classList.contains('muted')`,
    );
    await desk.choose('Mute topic');
    await desk.see(`${ROW('moon')}.classList.contains('muted')`);
    await desk.press('watch', '.title');
    await desk.choose('Unmute channel');
    await desk.see(`!${ROW('watch')}.classList.contains('muted')`);
  });

  await t.test('a private channel shows to those who are added', async (t) => {
    await desk.press('New channel', 'nav');
    await desk.fill('#new-name', 'council');
    await desk.look(`document.querySelectorAll('[name=kind]')[1].click()`);
    await desk.press('Create channel', 'dialog');
    await desk.see(`document.querySelector('.title .icon-lock')`);
    t.equal(await phone.look(`${ROW('council')} === undefined`), true);
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
    await phone.see(ROW('council'));
    await phone.look(`${ROW('council')}.click()`);
    await phone.choose('Leave channel');
    await phone.press('Leave', 'dialog.part');
    await phone.see(`!${ROW('council')}`);
  });
}
