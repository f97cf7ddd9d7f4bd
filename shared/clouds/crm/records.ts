import type { CloudRecords } from '../../cloud/cloud-row.ts'
import { containerRecords } from '../../cloud/containers/entity.ts'
import { blockable } from '../../emergency/targets.ts'
import { countOf } from '../../store/list.ts'
import { forgetEndpoint } from '../../store/owner.ts'
import { removing } from '../../store/remove-some.ts'
import { crmSessions, sealedSessions } from './connections/shared-session.ts'
import { CRM_OWNER, crmEndpoints } from './key-endpoints/store.ts'
import { crmIssuers } from './issuers/store.ts'
import { crmSecrets, sealedBackups } from './keys/store.ts'
import { organizationPurge } from './organizations/purge-organization.ts'
import { crmOrganizations } from './organizations/store.ts'

export const crmRecords: CloudRecords = {
  containers: [containerRecords(crmOrganizations, 'removing organizations')],
  endpoints: [blockable('endpoint', crmEndpoints)],
  sealed: { 'crm-backup': sealedBackups, 'crm-session': sealedSessions },
  countKeys: (domain) => countOf(crmSecrets, domain, 'all'),
  purge: [
    removing(crmEndpoints, 'all', (changes, _domain, { id }) => forgetEndpoint(changes, CRM_OWNER, id)),
    removing(crmIssuers, 'all'),
    ...organizationPurge.steps,
    removing(crmOrganizations, 'all'),
    removing(crmSessions, 'all'),
  ],
}
