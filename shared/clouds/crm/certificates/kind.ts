import { picked, sameFields, without } from '../../../base/fields.ts'
import { commonFields, resourceUri } from '../../../base/ids.ts'
import { noLongerThere } from '../../../cloud/keys/find-key.ts'
import type { KeyKind, KeyTypes } from '../../../cloud/keys/kind.ts'
import type { CrmCertificateRead, CrmCertificateSpec, CrmPlace } from '../adapter/types.ts'
import { crmCertificates } from '../adapter.ts'
import { NAME } from '../name.ts'
import { organizationKind } from '../organizations/kind.ts'
import type { CrmOrganizationRow, StoredCrmOrganization } from '../organizations/store.ts'
import { openOrganization } from '../place.ts'
import type { CrmCertificate } from './model.ts'
import {
  certificateSet,
  certificatesOfOrganization,
  crmCertificateRecords,
  type CrmCertificateRow,
  type StoredCrmCertificate,
} from './store.ts'

/** The types of certificates. */
export interface CertificateTypes extends KeyTypes {
  readonly key: StoredCrmCertificate
  readonly row: CrmCertificateRow
  readonly shown: CrmCertificate
  readonly container: StoredCrmOrganization
  readonly containerRow: CrmOrganizationRow
  readonly place: CrmPlace
  readonly spec: CrmCertificateSpec
  readonly read: CrmCertificateRead
  readonly whole: CrmCertificateRead
}

/** The record of a certificate that was made or found. */
export const certificateRecord = (
  domain: string,
  organization: StoredCrmOrganization,
  { param }: CrmCertificateRead,
  id: string,
  now: Date,
): StoredCrmCertificate => ({
  ...commonFields(domain, id, resourceUri(domain, 'keymgr', 'crm-certificate', id), now),
  organization_id: organization.id,
  organization_name: organization.name,
  ...param,
  gone: false,
  synced_at: now.toISOString(),
})

/** The record with the cloud's present description; the same object when nothing changed. */
export function refreshedCertificate(
  record: StoredCrmCertificate,
  read: CrmCertificateRead | undefined,
  now: Date,
  organization_name = record.organization_name,
): StoredCrmCertificate {
  const at = { synced_at: now.toISOString(), updatedAt: now.toISOString() }
  if (read === undefined) return record.gone ? record : { ...record, gone: true, ...at }
  const { param } = read
  const after = { ...without(record, 'unread', 'expires_at'), ...param, organization_name, gone: false }
  return sameFields<StoredCrmCertificate>(record, after) ? record : { ...after, ...at }
}

/** Certificates of organizations. They are kept like keys: made in the cloud, found there, gone from there. */
export const certificateKind: KeyKind<CertificateTypes> = {
  service: NAME,
  noun: 'certificate',
  entity: crmCertificateRecords,
  containers: organizationKind,
  containerIdOf: ({ organization_id }) => organization_id,
  setOf: certificateSet,
  familyOf: certificatesOfOrganization,
  viewOf: () => 'view',
  nameOf: ({ name }) => name,
  auditView: (certificate) =>
    picked(certificate, 'organization_name', 'key_size', 'expires_at', 'exportable', 'platform_encryption', 'gone'),
  present: ({ item, rev }) => ({ item: without(item, 'unread'), rev }),
  assertManaged: ({ gone }) => {
    if (gone) throw noLongerThere()
  },
  cloud: crmCertificates,
  refOf: ({ crm_certificate_id }) => crm_certificate_id,
  open: openOrganization,
  read: async (place, ref) => crmCertificates.read(place, ref),
  wholeOf: (_place, read) => read,
  made: ({ caller, now }, organization, read, { id }) =>
    certificateRecord(caller.domain.id, organization, read, id, now),
  refreshed: ({ now }, record, read) => refreshedCertificate(record, read ?? undefined, now),
}
