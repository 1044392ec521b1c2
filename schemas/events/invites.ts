import Type from 'typebox';

/** Events.md section 11: what there is to know is to be fetched by `GET /invites`. */
export const invitesChanged = Type.Object(
  { type: Type.Literal('invites_changed') },
  { additionalProperties: false },
);

export const invitesEvents = [invitesChanged] as const;
