import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { blockable } from '../../emergency/targets.ts'
import { sealingAgain } from '../../keyring/sealed-kinds.ts'
import { countOf } from '../../store/list.ts'
import { removing } from '../../store/remove-some.ts'
import { credentialPurpose } from './key-stores/identifiers.ts'
import { removeAddress } from './key-stores/records.ts'
import { customKeyStores } from './key-stores/store.ts'
import { cloudAKeys } from './keys/store.ts'
import { containerPurges } from './kms/purge-store.ts'
import { cloudAKms } from './kms/store.ts'
import { policyTemplates } from './templates/store.ts'

export const cloudARecords: CloudRecords = {
  containers: [containerRecords(cloudAKms, 'deleting KMS entries')],
  endpoints: [blockable('endpoint', customKeyStores)],
  sealed: {
    'custom-key-store': sealingAgain(customKeyStores, 'all', {
      of: ({ credentials }) => credentials.map(({ id, sealed }) => ({ purpose: credentialPurpose(id), sealed })),
      replaced: (store, sealed) => ({
        ...store,
        credentials: store.credentials.map((one, at) => ({ ...one, sealed: sealed[at] ?? one.sealed })),
      }),
    }),
  },
  countKeys: (domain) => countOf(cloudAKeys, domain, 'all'),
  purge: [
    removing(policyTemplates, 'all'),
    removing(cloudAKeys, 'all'),
    removing(customKeyStores, 'all', removeAddress),
    removing(containerPurges, 'all'),
    removing(cloudAKms, 'all'),
  ],
}
