import { defined, picked, sameFields, without } from '../../../base/fields.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { refusalOf } from '../../../cloud/keys/creation.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { KeyKind, KeyTypes } from '../../../cloud/keys/kind.ts'
import type { Context } from '../../../http/context.ts'
import { crm } from '../adapter.ts'
import type { CrmPlace, CrmSecretRead, CrmSecretSpec } from '../adapter/types.ts'
import { NAME } from '../name.ts'
import { organizationKind } from '../organizations/kind.ts'
import type { CrmOrganizationRow, StoredCrmOrganization } from '../organizations/store.ts'
import { openOrganization } from '../place.ts'
import type { CrmSecret } from './model.ts'
import {
  activeOf,
  crmBackups,
  crmSecrets,
  secretSet,
  secretsOfOrganization,
  type CrmSecretRow,
  type StoredCrmSecret,
} from './store.ts'

/** The types of tenant secrets. */
export interface SecretTypes extends KeyTypes {
  readonly key: StoredCrmSecret
  readonly row: CrmSecretRow
  readonly shown: CrmSecret
  readonly container: StoredCrmOrganization
  readonly containerRow: CrmOrganizationRow
  readonly place: CrmPlace
  readonly spec: CrmSecretSpec
  readonly read: CrmSecretRead
  readonly whole: CrmSecretRead
}

/** The action that lets a caller see the secrets of an organization. */
export const VIEW = 'view'

type Facts = Pick<StoredCrmSecret, 'id' | 'key_material_origin'> & { readonly name?: string; readonly now: Date }

/** The record of a secret that was made or found. */
export const secretRecord = (
  domain: string,
  organization: StoredCrmOrganization,
  { param }: CrmSecretRead,
  { id, key_material_origin, name = `${param.type} ${param.version}`, now }: Facts,
): StoredCrmSecret => ({
  ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'crm-key', id), now),
  name,
  cloud_name: organization.cloud_name,
  organization_id: organization.id,
  organization_name: organization.name,
  crm_param: param,
  gone: false,
  synced_at: now.toISOString(),
  key_material_origin,
  backup: false,
})

/** The record with the cloud's present description; the same object when nothing changed. */
export function refreshedSecret(
  record: StoredCrmSecret,
  read: CrmSecretRead | undefined,
  now: Date,
  organization_name = record.organization_name,
): StoredCrmSecret {
  const at = { synced_at: now.toISOString(), updatedAt: now.toISOString() }
  if (read === undefined) return record.gone ? record : { ...record, gone: true, ...at }
  const isDestroyed = read.param.status === 'DESTROYED'
  const kept = without(record, 'unread', 'error_msg', ...(isDestroyed ? [] : ['destruction_noticed' as const]))
  const after = { ...kept, organization_name, crm_param: read.param, gone: false }
  return sameFields<StoredCrmSecret>(record, after) ? record : { ...after, ...at }
}

/** Stages that a new active secret archives the one before it: the cloud has one active secret of each type. */
async function archiveFormer(
  { caller, changes, now }: Context,
  organization: string,
  { ref, param }: CrmSecretRead,
): Promise<void> {
  if (param.status !== 'ACTIVE') return
  const domain = caller.domain.id
  const ids = await crmSecrets.members(domain, activeOf(organization, param.type))
  for (const stored of await crmSecrets.getMany(domain, ids, 'leave out')) {
    const { item } = stored
    if (item.crm_param.crm_id === ref) continue
    const crm_param = { ...item.crm_param, status: 'ARCHIVED' }
    changes.update(crmSecrets, domain, stored, { ...item, crm_param, updatedAt: now.toISOString() })
  }
}

/** Description of a secret that was made but cannot be read: derived from the request. */
const unreadable = (ref: string, { type, description, upload }: CrmSecretSpec): CrmSecretRead => ({
  ref,
  param: {
    crm_id: ref,
    version: 0,
    status: 'ACTIVE',
    type,
    source: upload === undefined ? 'HSM' : 'UPLOADED',
    ...defined({ key_derivation_mode: upload?.key_derivation_mode }),
    ...(description !== '' && { description }),
  },
})

/** Tenant secrets of organizations. */
export const secretKind: KeyKind<SecretTypes> = {
  service: NAME,
  noun: 'tenant secret',
  entity: crmSecrets,
  containers: organizationKind,
  containerIdOf: ({ organization_id }) => organization_id,
  setOf: secretSet,
  familyOf: secretsOfOrganization,
  viewOf: () => VIEW,
  nameOf: ({ name }) => name,
  auditView: ({ crm_param, ...secret }) => ({
    ...picked(secret, 'name', 'organization_name', 'gone', 'backup'),
    ...picked(crm_param, 'crm_id', 'type', 'status', 'source', 'version', 'description'),
    ...defined({
      local_key_id: secret.local_key_id,
      certificate_id: secret.certificate_id,
      endpoint_id: secret.endpoint_id,
      is_served: secret.is_served,
      RemoteKeyIdentifier: crm_param.RemoteKeyIdentifier,
    }),
  }),
  showsUnchanged: true,
  honoursIfMatch: true,
  present: ({ item, rev }) => ({ item: without(item, 'destruction_noticed'), rev }),
  assertManaged: ({ gone }) => {
    if (gone) throw noLongerThere()
  },
  cloud: crm,
  refOf: ({ crm_param: { crm_id } }) => crm_id,
  open: openOrganization,
  read: async (place, ref) => crm.read(place, ref),
  wholeOf: (_place, read) => read,
  made: async (context, organization, read, { id, source, known, outcome }) => {
    await archiveFormer(context, organization.id, read)
    const key_material_origin = source === undefined ? 'native' : 'keymgr'
    return {
      ...secretRecord(context.caller.domain.id, organization, read, { id, key_material_origin, now: context.now }),
      ...(source && without(source, 'local_key_version')),
      ...known,
      ...(outcome !== 'made' && { error_msg: await refusalOf(context.caller.domain.id, id) }),
      ...(outcome === 'unreadable' && { unread: ['key'] }),
    }
  },
  refreshed: ({ now }, record, read) => refreshedSecret(record, read ?? undefined, now),
  removed: async ({ caller, changes }, { id }) => {
    const backup = await crmBackups.get(caller.domain.id, id)
    if (backup !== undefined) changes.remove(crmBackups, caller.domain.id, backup)
  },
  unreadable: (_organization, _home, ref, spec) => unreadable(ref, spec),
}
