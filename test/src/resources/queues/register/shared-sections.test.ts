import t from 'tap';
import { realmSection } from '../../../../../src/resources/queues/register/realm-section.js';
import { SHARED_SECTIONS } from '../../../../../src/resources/queues/register/shared-sections.js';
import { LivingOrganization } from '../../../../fixtures/living-organization.js';

void t.test('the text of the organization is made once, and again when it changes', async (t) => {
  const world = new LivingOrganization();
  const textOf = () => SHARED_SECTIONS.realm!(world.org);
  const fieldsOf = (text: Buffer) =>
    JSON.parse(`{${text.toString().slice(1)}}`) as Record<string, unknown>;
  const first = textOf();
  t.strictSame(fieldsOf(first), JSON.parse(JSON.stringify(realmSection(world.org))));
  t.equal(textOf(), first);
  world.setRealm({ name: 'Other' });
  t.equal(fieldsOf(textOf()).realm_name, 'Other');
  t.not(textOf(), first);
});

void t.test('organizations do not share it', async (t) => {
  const [one, other] = [new LivingOrganization(), new LivingOrganization()];
  other.setRealm({ name: 'Other' });
  const [first, second] = [one, other].map((world) => SHARED_SECTIONS.realm!(world.org).toString());
  t.match(second, '"realm_name":"Other"');
  t.notMatch(first, '"realm_name":"Other"');
});
