import { decryptGcm, IV_BYTES, TAG_BYTES } from '../../../../crypto/aead.ts'
import { USAGE } from '../../../../crypto/usage.ts'
import { versionsOf } from '../../../../cloud/keys/versions/entity.ts'
import {
  byPolicy,
  membersIn,
  opensWithData,
  recordsIn,
  setIn,
  type Inspector,
  type Maker,
  type Openers,
  type Search,
} from '../../../../vault/inspect/inspector.ts'
import { cloudDIssuers } from '../../issuers/store.ts'
import { cloudDKeys, vaultSet } from '../../keys/store.ts'
import { cloudDVaults, vaultsNamed } from '../../vaults/store.ts'
import { cloudDVersions } from '../../versions/store.ts'
import { isExternalKey, isExternalVault, type ExternalKey, type ExternalVault } from '../external.ts'
import { boundTo } from './bound-to.ts'

interface Place {
  readonly search: Search
  readonly vault: ExternalVault
  readonly key: ExternalKey
}

async function openersOf({ search, vault, key }: Place): Promise<Openers[]> {
  const { issuer_id, client_application_id: client } = vault.external_vault_params
  const issuer = await cloudDIssuers.get(search.context.caller.domain.id, issuer_id)
  return [
    { kind: `client of the issuer ${issuer?.item.issuer ?? issuer_id}`, names: [client] },
    ...byPolicy("only as the vault's policy allows, by its hash", vault.policy_hash),
    ...byPolicy("only as the key's policy allows, by its hash", key.policy_hash),
  ]
}

const obstaclesOf = ({ vault, key }: Place): string[] => [
  ...(vault.external_vault_params.blocked ? [`The external vault ${vault.display_name} is blocked.`] : []),
  ...(key.hyok_key_params.blocked ? [`The external key ${key.cloud_d_params.display_name} is blocked.`] : []),
]

function makerOf(place: Place, version: string, local: string): Maker {
  const { search, vault, key } = place
  const { bytes: ciphertext, iv, tag } = search.parts
  return {
    endpoint: { kind: 'external vault', id: vault.id, name: vault.display_name, uri: vault.uri },
    key: { kind: 'external key', id: key.id, name: key.cloud_d_params.display_name, uri: key.uri },
    local: { id: local },
    usage: USAGE.decrypt,
    isInHeader: false,
    proves: (material) =>
      iv !== undefined && tag !== undefined
        ? opensWithData(material, search.parts, (aad) =>
            decryptGcm(material, { ciphertext, tag }, iv, boundTo(key, { id: version }, aad)),
          )
        : false,
    obstacles: () => obstaclesOf(place),
    openers: () => openersOf(place),
  }
}

/** Ciphertexts of external keys. The parts name no version, so each is tried. */
export const externalCiphertexts: Inspector = {
  kind: 'ciphertext of an external vault',
  hasForm: ({ iv, tag, metadata }) => iv?.length === IV_BYTES && tag?.length === TAG_BYTES && metadata === undefined,
  makers: async function* (search) {
    const domain = search.context.caller.domain.id
    for await (const vaults of recordsIn(cloudDVaults, search, 'ReadCloudDVault', vaultsNamed))
      for (const vault of vaults.filter(isExternalVault))
        for await (const keys of setIn(cloudDKeys, domain, vaultSet(vault.id)))
          for (const key of keys.filter(isExternalKey))
            for await (const versions of membersIn(cloudDVersions, domain, versionsOf(key.id)))
              yield versions.flatMap(({ id, local_key_id: local }) =>
                local === undefined ? [] : [makerOf({ search, vault, key }, id, local)],
              )
  },
}
