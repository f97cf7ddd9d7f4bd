import { Refusal } from '../../../base/errors.ts'
import type { StoredCloudDKey } from '../keys/store.ts'
import type { StoredCloudDVault } from '../vaults/store.ts'
import type { StoredExternalParams, StoredHyokParams } from './params.ts'

export type ExternalVault = StoredCloudDVault & { readonly external_vault_params: StoredExternalParams }
export type ExternalKey = StoredCloudDKey & { readonly hyok_key_params: StoredHyokParams }

export const isExternalVault = (vault: StoredCloudDVault): vault is ExternalVault =>
  vault.external_vault_params !== undefined
export const isExternalKey = (key: StoredCloudDKey): key is ExternalKey => key.hyok_key_params !== undefined

/** @throws Refusal STATE_CONFLICT for a vault that is at the cloud */
export function assertExternalVault(vault: StoredCloudDVault): asserts vault is ExternalVault {
  if (!isExternalVault(vault))
    throw new Refusal(
      'STATE_CONFLICT',
      `The vault ${vault.display_name} is no external vault: its keys are at the cloud.`,
    )
}

/** @throws Refusal STATE_CONFLICT for a key that is at the cloud */
export function assertExternalKey(key: StoredCloudDKey): asserts key is ExternalKey {
  if (!isExternalKey(key)) throw new Refusal('STATE_CONFLICT', 'The key is no external key: it is at the cloud.')
}

/** @throws Refusal STATE_CONFLICT for an external key, which the cloud does not have */
export function assertAtCloud(key: StoredCloudDKey): void {
  if (isExternalKey(key))
    throw new Refusal('STATE_CONFLICT', 'The key is external: its material is here, not at the cloud.')
}
