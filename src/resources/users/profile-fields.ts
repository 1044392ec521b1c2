import type { ParamsOf } from '../../../schemas/endpoint.js';
import * as descriptors from '../../../schemas/users/profile-fields.js';
import {
  type ProfileFieldDocument,
  PROFILE_FIELD_TYPE as TYPE,
} from '../../../schemas/users/profile-fields.js';
import { MAX_PROFILE_FIELDS, MAX_PROFILE_SUMMARY_FIELDS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  checkedFieldData,
  defaultAccountOf,
  checkedProfile,
  clearLostChoices,
  editableField,
  setProfile,
} from '../../organization/users/profile-fields.js';
import { profileFieldView } from '../../organization/state/collections/profile-fields.js';
import { isAdministrator } from '../../organization/access/permissions.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { invalidCharacterAt, nameKey } from '../../services/text/stored-text.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { renderDescription } from '../channels/wanted-channels.js';

/**
 * Custom profile fields (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields) and what people fill
 * in (endpoints-users.md#profile-data).
 */
export function profileFieldHandlers(markdown: Markdown): AnyHandler[] {
  const render = (org: Organization, text: string) => renderDescription(org, markdown, text);
  return [
    handle(descriptors.getProfileFields, ({ org }) => ({ custom_fields: shown(org) })),
    handle(descriptors.createProfileField, (tx, { params }) => createField(tx, params)),
    handle(descriptors.updateProfileField, (tx, { params }) => updateField(tx, params)),
    handle(descriptors.deleteProfileField, (tx, { params }) => {
      fieldOf(tx.org, params.field_id);
      tx.org.profileFields.delete(params.field_id);
      emitProfileFields(tx);
      return {};
    }),
    handle(descriptors.reorderProfileFields, (tx, { params }) => reorder(tx, params.order)),
    handle(descriptors.updateOwnProfileData, (tx, { user, params }) => {
      setProfile(tx, user, checkedProfile(tx.org, params.data, isAdministrator(user)), render);
      return {};
    }),
    handle(descriptors.removeOwnProfileData, (tx, { user, params }) => {
      const cleared = params.data.map((id) => ({
        field: editableField(tx.org, id, isAdministrator(user)),
        value: null,
      }));
      setProfile(tx, user, cleared, render);
      return {};
    }),
  ];
}

function shown(org: Organization): descriptors.ProfileField[] {
  return org.profileFields.ordered().map(profileFieldView);
}

/** Emits the complete list to everybody. */
function emitProfileFields(tx: Transaction): void {
  tx.emit('custom_profile_fields', { to: 'all' }, { fields: shown(tx.org) });
}

function fieldOf(org: Organization, id: number): ProfileFieldDocument {
  const field = org.profileFields.get(id);
  if (!field) throw badRequest(`Field id ${id} not found.`);
  return field;
}

function createField(
  tx: Transaction,
  params: ParamsOf<typeof descriptors.createProfileField>,
): { id: number } {
  const { org } = tx;
  const { field_type: type, name, field_data, ...flags } = params;
  if (org.profileFields.size >= MAX_PROFILE_FIELDS) {
    throw badRequest(`Too many custom profile fields (maximum ${MAX_PROFILE_FIELDS}).`);
  }
  const last = org.profileFields.ordered().at(-1)?.order ?? 0;
  const stored = checkedFieldData(type, field_data);
  const account = type === TYPE.externalAccount ? defaultAccountOf(stored) : null;
  const field: ProfileFieldDocument = {
    ...flags,
    id: org.counters.next('custom_profile_field'),
    type,
    order: last + 1,
    name: checkedLabel(org, name.trim() === '' ? (account?.name ?? '') : name, null),
    hint: flags.hint === '' ? (account?.hint ?? '') : flags.hint,
    field_data: stored,
  };
  checkSummary(org, field);
  org.profileFields.insert(field);
  emitProfileFields(tx);
  return { id: field.id };
}

function updateField(
  tx: Transaction,
  params: ParamsOf<typeof descriptors.updateProfileField>,
): Record<string, never> {
  const { org } = tx;
  const { field_id, name, field_data, ...flags } = params;
  const former = fieldOf(org, field_id);
  const field: ProfileFieldDocument = {
    ...former,
    ...flags,
    ...(name === undefined ? {} : { name: checkedLabel(org, name, field_id) }),
    ...(field_data === undefined ? {} : { field_data: checkedFieldData(former.type, field_data) }),
  };
  checkSummary(org, field);
  if (JSON.stringify(field) === JSON.stringify(former)) return {};
  org.profileFields.insert(field);
  emitProfileFields(tx);
  if (field.type === TYPE.select) clearLostChoices(tx, field);
  return {};
}

function checkedLabel(org: Organization, raw: string, id: number | null): string {
  const name = raw.trim();
  if (name === '') throw badRequest('Label cannot be blank.');
  const position = invalidCharacterAt(name);
  if (position !== null) throw badRequest(`Invalid character in label, at position ${position}!`);
  const key = nameKey(name);
  for (const field of org.profileFields.values()) {
    if (field.id !== id && nameKey(field.name) === key) {
      throw badRequest('A field with that label already exists.');
    }
  }
  return name;
}

function checkSummary(org: Organization, field: ProfileFieldDocument): void {
  if (!field.display_in_profile_summary) return;
  if (field.type === TYPE.users) {
    throw badRequest('Field type not supported for display in profile summary.');
  }
  const others = [...org.profileFields.values()].filter(
    (one) => one.id !== field.id && one.display_in_profile_summary,
  );
  if (others.length >= MAX_PROFILE_SUMMARY_FIELDS) {
    throw badRequest('Only 2 custom profile fields can be displayed in the profile summary.');
  }
}

function reorder(tx: Transaction, order: readonly number[]): Record<string, never> {
  const fields = tx.org.profileFields;
  const complete = order.length === fields.size && new Set(order).size === fields.size;
  if (!complete || !order.every((id) => fields.has(id))) {
    throw badRequest('Invalid order mapping.');
  }
  const changed = order.filter((id, i) => fields.get(id)!.order !== i + 1);
  if (changed.length === 0) return {};
  order.forEach((id, i) => fields.update(id, { order: i + 1 }));
  emitProfileFields(tx);
  return {};
}
