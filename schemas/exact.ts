/** Options of an object on the wire that has the named properties and no others. */
export const exact = { additionalProperties: false } as const;
