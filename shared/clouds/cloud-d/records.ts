import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { countOf } from '../../store/list.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { removing } from '../../store/remove-some.ts'
import { cloudDCompartments } from './compartments/store.ts'
import { followings } from './external/follow.ts'
import { formerVaults } from './external/former-vaults.ts'
import { VAULT_OWNER } from './external/identifiers.ts'
import { cloudDIssuers, sealedIssuers } from './issuers/store.ts'
import { cloudDKeys } from './keys/store.ts'
import { cloudDTenancies } from './tenancies/store.ts'
import { vaultPurge } from './vaults/purge-vault.ts'
import { cloudDVaults } from './vaults/store.ts'

export const cloudDRecords: CloudRecords = {
  containers: [containerRecords(cloudDVaults, 'removing vaults')],
  sealed: { 'cloud-d-issuer': sealedIssuers },
  countKeys: (domain) => countOf(cloudDKeys, domain, 'all'),
  purge: [
    ...vaultPurge.steps,
    removing(cloudDVaults, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, VAULT_OWNER, id)),
    removing(formerVaults, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, VAULT_OWNER, id)),
    removing(followings, 'all'),
    removing(cloudDIssuers, 'all'),
    removing(cloudDCompartments, 'all'),
    removing(cloudDTenancies, 'all'),
  ],
}
