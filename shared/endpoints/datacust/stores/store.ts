import type * as z from 'zod'
import { containerEntity } from '../../../cloud/containers/entity.ts'
import { DatacustKeystore } from './model.ts'

const StoredDatacustKeystore = DatacustKeystore.omit({ keystore_url: true })
export type StoredDatacustKeystore = z.infer<typeof StoredDatacustKeystore>

/** Name of the entity, and kind of the items that name the domain of a key store. */
export const KEYSTORE = 'datacust-keystore'
export const KEYSTORE_OWNER = 'datacust-keystore-owner'

/** Reads served: a key store by id; by name; all. */
export const datacustKeystores = containerEntity({
  name: KEYSTORE,
  schema: StoredDatacustKeystore,
  unique: ({ name }) => ({ name: [name] }),
  row: ({ sap_tenant_id, keystore_url_hostname, state, blocked, key_count, certificate_expires_at }) => ({
    sap_tenant_id,
    keystore_url_hostname,
    state,
    blocked,
    key_count,
    certificate_expires_at,
  }),
})
export type DatacustKeystoreRow = ReturnType<typeof datacustKeystores.row>
