import type { Model } from '../model.js';
import { say } from '../say.js';

type Dialogs = typeof import('./dialogs.js');
type Name = keyof Dialogs;
/** What a dialog is given behind the model. */
type About<N extends Name> = Parameters<Dialogs[N]> extends [Model, ...infer Rest] ? Rest : never;

type Show<N extends Name> = (model: Model, ...about: About<N>) => void;

/** Fetches the dialogs, whose script is no part of what the page needs to be drawn. */
function fetched(): Promise<Dialogs> {
  return import('./dialogs.js');
}

/** Fetches them in advance: what is opened while the server is away opens. */
export function fetchDialogs(model: Model): void {
  model.quietly(fetched());
}

/** Opens a dialog; where its script is not to be had, as after an upgrade of the server, the page says so. */
export function open<N extends Name>(name: N, model: Model, ...about: About<N>): void {
  fetched().then(
    (dialogs) => (dialogs[name] as unknown as Show<N>)(model, ...about),
    () => model.surface.say(say('error.part')),
  );
}
