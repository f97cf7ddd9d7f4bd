import { ruleBroken } from '../../../base/errors.ts'
import { commonFields, uuid } from '../../../base/ids.ts'
import { findContainerFor } from '../../../cloud/containers/find-container.ts'
import { tellOfKey } from '../../../cloud/keys/find-key.ts'
import { findHostedSource } from '../../../cloud/keys/hosted-source.ts'
import type { Context } from '../../../http/context.ts'
import type { Stored } from '../../../store/entity.ts'
import { beginUse } from '../../../vault/keys/lifecycle/key-users.ts'
import { keyKind } from '../keys/kind.ts'
import type { CloudDKey } from '../keys/model.ts'
import { cloudDKeys, type StoredCloudDKey } from '../keys/store.ts'
import type { CloudDParam } from '../param.ts'
import { vaultKind } from '../vaults/kind.ts'
import { cloudDVaults } from '../vaults/store.ts'
import { cloudDVersions } from '../versions/store.ts'
import type { CreateExternalKey } from './bodies.ts'
import { isExternalVault, type ExternalVault } from './external.ts'
import { uriOfKey } from './identifiers.ts'
import { newPolicy } from './policy.ts'
import { externalVersion } from './versions.ts'

const KEY_BYTES = 32

/** Ours: an external key is described with the fields of the cloud's keys, as far as they apply. */
const described = (vault: ExternalVault, id: string, name: string, version: string, now: Date): CloudDParam => ({
  ...{ compartment_id: '', current_key_version: version, display_name: name, key_id: id },
  ...{ algorithm: 'AES', length: KEY_BYTES, lifecycle_state: 'ENABLED', time_created: now.toISOString() },
  ...{ vault_name: vault.display_name, defined_tags: {}, freeform_tags: {} },
  ...{ protection_mode: 'EXTERNAL', is_primary: true },
})

/** The external vault of a body: it cannot be deleted at the same time. @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN */
async function vaultFor(context: Context, reference: string): Promise<ExternalVault> {
  const field = { pointer: '#/vault', detail: 'is no vault that you may see' }
  const stored = await findContainerFor(vaultKind, context, reference, 'hyokkeycreate', field)
  const { item: vault } = stored
  if (!isExternalVault(vault)) throw ruleBroken('vault', 'must be an external vault')
  context.changes.update(cloudDVaults, context.caller.domain.id, stored, vault)
  return vault
}

/**
 * Creates an external key: the cloud uses a local key, which stays here. Its id is the id that the cloud refers to.
 * @throws Refusal NOT_FOUND, ACTION_DENIED, RULE_BROKEN
 */
export async function createExternalKey(context: Context, body: CreateExternalKey): Promise<Stored<CloudDKey>> {
  const { caller, changes, now } = context
  const domain = caller.domain.id
  const vault = await vaultFor(context, body.vault)
  const source = await findHostedSource(context, body.source_key_identifier, '#/source_key_identifier')
  const { item: local } = source
  beginUse(context, source)
  const [id, versionId] = [uuid(now), uuid(now)]
  const { id: vault_resource_id, vault_id, tenancy, region, cloud_name } = vault
  const key: StoredCloudDKey = {
    ...commonFields(domain, id, uriOfKey(domain, id), now),
    ...{ cloud_name, vault_id, vault_resource_id, tenancy, region },
    ...{ gone: false, synced_at: now.toISOString(), create_status: 'success', version_count: 1, versions_digest: '' },
    ...{ key_material_origin: 'keymgr', local_key_id: local.id, local_key_name: local.name },
    ...(await newPolicy(body.policy)),
    cloud_d_params: described(vault, id, body.name, versionId, now),
    hyok_key_params: { blocked: false, linked_state: false },
  }
  changes.create(cloudDKeys, domain, key)
  changes.create(cloudDVersions, domain, externalVersion(domain, id, local, { id: versionId, now }))
  tellOfKey(keyKind, context, key)
  return keyKind.present({ item: key, rev: 1 }, vault)
}
