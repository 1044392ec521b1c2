import Type from 'typebox';
import { exact } from '../exact.js';
import { PlaygroundObject } from './playgrounds.js';
import { events } from '../event.js';

/** events-organization.md#organization: all of them. */
export const realmPlaygrounds = Type.Object(
  { type: Type.Literal('realm_playgrounds'), realm_playgrounds: Type.Array(PlaygroundObject) },
  exact,
);

/** All events of playgrounds. */
export const playgroundEvents = events(realmPlaygrounds);
