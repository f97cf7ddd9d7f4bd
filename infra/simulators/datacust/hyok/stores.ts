import type { Outbound } from '../../toolkit/outbound.ts'
import type { SimulatedGroup } from '../login/directory.ts'
import type { HeldKey } from '../state/held.ts'
import { textAt, type Body } from '../wire/body.ts'
import type { DatacustState } from '../state/state.ts'
import { ApiError, conflict, invalid } from '../wire/errors.ts'
import type { Authority } from './authority.ts'
import { openStoreClient, type StoreClient } from './store-client.ts'
import { StoreFault } from './store-fault.ts'

/** The platform's use of customer-held key stores. */
export interface Stores {
  /** Size and id of an external key, whose metadata is read at its store. @throws ApiError */
  readonly describe: (
    tenantId: string,
    group: SimulatedGroup,
    body: Body,
  ) => Promise<Pick<HeldKey, 'size' | 'nativeId'>>
}

/** Sizes in bits, and types of keys. */
const SPECS = {
  AES_256: { type: 'AES', size: 256 },
  RSA_3072: { type: 'RSA', size: 3072 },
  RSA_4096: { type: 'RSA', size: 4096 },
} as const

export const createStores = (state: DatacustState, outbound: Outbound, authority: Authority): Stores => ({
  describe: async (tenantId, group, body) => {
    const store = state.store(group.id)
    if (store === undefined) throw conflict('The group has no key store.')
    const client = openStoreClient(outbound, {
      url: store.url,
      client: authority.certificateOf(tenantId, store.certificateId),
      metadata: { sap_tenant_id: tenantId, sap_group_id: group.id },
    })
    const nativeId = textAt(body, 'nativeId')
    const { spec, operations, state: keyState } = await metadataOf(client, nativeId)
    const { type, size } = SPECS[spec]
    const wanted = Array.isArray(body.operations) ? body.operations.map(String) : []
    if (keyState !== 'Enabled' || type !== body.type || !wanted.every((each) => operations.includes(each)))
      throw invalid('The external key does not fit.')
    return { size, nativeId }
  },
})

async function metadataOf(client: StoreClient, key: string) {
  try {
    return await client.keyMetadata(key)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    throw error.problem === 'refused' ? invalid(error.message) : new ApiError(502, error.message)
  }
}
