import {
  BANK,
  SEEDED_AT,
  SHOP,
  SHOP_COMPARTMENTS,
  STANDARD_TENANCIES,
  type SimulatedTenancy,
} from '../directory/directory.ts'
import { newShort, seededOcid } from '../directory/ocids.ts'
import type { HeldVault, VaultType } from './held.ts'

/** A vault of the initial state. */
export interface CloudDSeedVault {
  readonly name: string
  readonly tenancyId: string
  readonly region: string
  readonly compartmentId: string
  readonly vaultType?: Exclude<VaultType, 'EXTERNAL'>
}

/** Initial state. */
export interface CloudDSeed {
  readonly tenancies: readonly SimulatedTenancy[]
  readonly vaults: readonly CloudDSeedVault[]
}

const { orders, invoices } = SHOP_COMPARTMENTS

export const STANDARD_SEED: CloudDSeed = {
  tenancies: STANDARD_TENANCIES,
  vaults: [
    { name: 'orders', tenancyId: SHOP, region: 'eu-frankfurt-1', compartmentId: orders },
    { name: 'invoices', tenancyId: SHOP, region: 'eu-frankfurt-1', compartmentId: invoices },
    {
      ...{ name: 'safe', tenancyId: SHOP, region: 'eu-frankfurt-1', compartmentId: orders },
      vaultType: 'VIRTUAL_PRIVATE',
    },
    { name: 'overseas', tenancyId: SHOP, region: 'us-ashburn-1', compartmentId: SHOP },
    { name: 'ledger', tenancyId: BANK, region: 'us-ashburn-1', compartmentId: BANK },
  ],
}

/** A seeded vault, with the same ids at every start. */
export function seededVault({ name, vaultType = 'DEFAULT', ...place }: CloudDSeedVault): HeldVault {
  const short = newShort(name)
  const within = `${place.region}.${short}`
  return {
    ...place,
    id: seededOcid('vault', name, within),
    short,
    vaultType,
    displayName: name,
    freeformTags: {},
    definedTags: {},
    createdAt: SEEDED_AT,
    wrappingKeyId: seededOcid('key', `wrapping ${name}`, within),
    state: 'ACTIVE',
    revision: 1,
  }
}
