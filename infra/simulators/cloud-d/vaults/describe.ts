import { given } from '../../toolkit/given.ts'
import type { HeldVault } from '../state/held.ts'

export const iso = (at: number): string => new Date(at).toISOString()

/** `timeOfDeletion`, if a deletion is scheduled. */
export const deletionTime = (deleteAt: number | undefined): object =>
  given('timeOfDeletion', deleteAt === undefined ? undefined : iso(deleteAt))

const externalSummary = ({ external }: HeldVault): object =>
  external === undefined
    ? {}
    : {
        externalKeyManagerMetadataSummary: {
          vendor: external.vendor,
          externalVaultEndpointUrl: external.endpointUrl,
          privateEndpointId: external.privateEndpointId,
          oauthMetadataSummary: { idcsAccountNameUrl: external.domainUrl, clientAppId: external.clientId },
        },
      }

/** Addresses of a vault. @param endpoint of the simulator */
const addressesOf = ({ region, short }: HeldVault, endpoint: string) => ({
  managementEndpoint: `${endpoint}/kms/${region}/${short}/management`,
  cryptoEndpoint: `${endpoint}/kms/${region}/${short}/crypto`,
})

export const describeVaultSummary = (vault: HeldVault, endpoint: string): object => ({
  compartmentId: vault.compartmentId,
  ...addressesOf(vault, endpoint),
  definedTags: vault.definedTags,
  displayName: vault.displayName,
  freeformTags: vault.freeformTags,
  id: vault.id,
  lifecycleState: vault.state,
  timeCreated: iso(vault.createdAt),
  vaultType: vault.vaultType,
  ...externalSummary(vault),
})

export const describeVault = (vault: HeldVault, endpoint: string): object => ({
  ...describeVaultSummary(vault, endpoint),
  ...deletionTime(vault.deleteAt),
  wrappingkeyId: vault.wrappingKeyId,
  isPrimary: true,
})
