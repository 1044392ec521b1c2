import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { DocumentKey, Store } from '../../../store/port.js';
import type { MessageSource } from './message-collection.js';

/** The messages of a store. */
export function messageSource(store: Store): MessageSource {
  return {
    getMany: async (ids) => {
      const keys: DocumentKey[] = ids.map((id) => ({ collection: 'message', id: String(id) }));
      return (await store.getMany(keys)) as unknown as (MessageDocument | undefined)[];
    },
  };
}
