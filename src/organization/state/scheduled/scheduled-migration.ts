import type { Document } from '../../../store/port.js';

/**
 * Version 2 of scheduled messages and reminders: the document, which had a flag `failed`, is the snapshot of its actor.
 * Deliveries were not stored before, so that each item waits or has failed.
 */
export function scheduledToSnapshot({ failed, ...fields }: Document): Document {
  return {
    machine: 'scheduled-message',
    version: 2,
    value: failed === true ? 'failed' : 'pending',
    // Reminders had no such field.
    context: { ...fields, failure: fields['failure'] ?? null },
  };
}
