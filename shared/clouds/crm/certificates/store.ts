import * as z from 'zod'
import { entity } from '../../../store/entity.ts'
import type { Family } from '../../../store/layout.ts'
import { JOINS_NO_CONFIG } from '../../../work/schedule/job-operations/joined.ts'
import { extended } from '../../../base/lazy-fields.ts'
import { CrmCertificate } from './model.ts'

const StoredCrmCertificate = extended(CrmCertificate, () => ({ unread: z.array(z.string()).optional() }))
export type StoredCrmCertificate = z.infer<typeof StoredCrmCertificate>

export const certificateSet = (organization: string): string => `organization:${organization}`
/** The family of an organization's certificates, by the cloud's ids. */
export const certificatesOfOrganization = (organization: string): string => `place:${organization}`

/** Reads served: a certificate by id; by its organization and the cloud's id; all; those of an organization. */
export const crmCertificateRecords = entity({
  name: 'crm-certificate',
  schema: StoredCrmCertificate,
  id: ({ id }) => id,
  sets: ({ organization_id }) => ['all', certificateSet(organization_id)],
  families: ({ organization_id, crm_certificate_id }): Family[] => [
    { name: certificatesOfOrganization(organization_id), key: crm_certificate_id, exclusive: true },
  ],
  row: (certificate) => ({
    id: certificate.id,
    name: certificate.name,
    organization_id: certificate.organization_id,
    organization_name: certificate.organization_name,
    crm_certificate_id: certificate.crm_certificate_id,
    key_size: certificate.key_size,
    expires_at: certificate.expires_at,
    exportable: certificate.exportable,
    platform_encryption: certificate.platform_encryption,
    gone: certificate.gone,
    createdAt: certificate.createdAt,
    updatedAt: certificate.updatedAt,
    ...JOINS_NO_CONFIG,
  }),
})
export type CrmCertificateRow = ReturnType<typeof crmCertificateRecords.row>
