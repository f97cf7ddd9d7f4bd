import { setting } from '../../../base/environment.ts'
import { Refusal } from '../../../base/errors.ts'
import type { ContainerKind } from '../../../cloud/containers/kind.ts'
import { DATA_PLANE } from '../identifiers.ts'
import type { DatacustKeystore } from './model.ts'
import { datacustKeystores, type DatacustKeystoreRow, type StoredDatacustKeystore } from './store.ts'

/**
 * Path in front of a key store's id at the host that the platform calls, if a proxy maps another path to the data
 * plane. Ours: it is not public which paths the platform accepts.
 */
const PATH = 'KEYMGR_DATACUST_KEYSTORE_PATH'

const addressOf = ({ id, keystore_url_hostname: host }: StoredDatacustKeystore): string =>
  `https://${host}${setting(PATH) ?? DATA_PLANE}${id}`

/** External key stores. Administrators change them; permissions give users actions on their keys. */
export const keystoreKind: ContainerKind<StoredDatacustKeystore, DatacustKeystoreRow, DatacustKeystore> = {
  entity: datacustKeystores,
  noun: 'external key store',
  nameOf: ({ name }) => name,
  namedBy: 'name',
  views: ['view'],
  viewOf: (action) => (action === 'view' ? [] : ['view']),
  audited: [
    'name',
    'description',
    'sap_tenant_id',
    'certificate_sha256',
    'keystore_url_hostname',
    'enable_success_audit_event',
    'state',
    'blocked',
    'acls',
  ],
  present: (keystore) => ({ ...keystore, keystore_url: addressOf(keystore) }),
  assertActive: ({ name, state }) => {
    if (state === 'ARCHIVED')
      throw new Refusal('STATE_CONFLICT', `The external key store ${name} is archived: recover it first.`)
  },
}
