import Type from 'typebox';
import t from 'tap';
import { collection, collectionApart } from '../../../../schemas/collection.js';
import {
  collectionsOf,
  Collection,
  UnitOfWork,
} from '../../../../src/organization/state/collection.js';

interface SampleDocument {
  readonly id: number;
}

/** An organization of two collections: a sample is a schema and a field, nothing else. */
class Sample {
  readonly unit = new UnitOfWork();
  readonly now = (): number => 7;
  readonly second = new Collection<number, SampleDocument>('second', this.unit, ({ id }) => id);
  readonly first = new Collection<number, SampleDocument>('first', this.unit, ({ id }) => id);
}

const Id = Type.Object({ id: Type.Integer() });
const declared = (...names: string[]) =>
  new Map(names.map((name) => [name, collection(name, Id)] as const));

void t.test('the collections of an organization are its fields, in their order', async (t) => {
  const sample = new Sample();
  const held = collectionsOf(sample, declared('first', 'second'));
  t.strictSame([...held.keys()], ['second', 'first']);
  held.get('first')!.load({ id: 4 });
  t.strictSame(sample.first.get(4), { id: 4 });
});

void t.test('a collection that only one of schema and field names stops the start', async (t) => {
  t.throws(() => collectionsOf(new Sample(), declared('first')), {
    message: 'No schema declares the collection second',
  });
  t.throws(() => collectionsOf(new Sample(), declared('first', 'second', 'third')), {
    message: 'No field has the collection third',
  });
});

void t.test('a collection that something else reads needs no field', async (t) => {
  const apart = declared('first', 'second').set('log', collectionApart('log', Id));
  t.equal(collectionsOf(new Sample(), apart).size, 2);
});
