import * as z from 'zod'
import { Acl } from '../../../cloud/containers/acl-model.ts'
import { commonContainerFilters } from '../../../cloud/containers/model.ts'
import { FreeText, Name, Resource, Time } from '../../../http/common-fields.ts'
import { HostNameWithPort } from '../../../http/host-name.ts'
import { anyOf, anyTexts, flag, listQuery } from '../../../http/lists/list-query.ts'
import { extended, strictObject } from '../../../base/lazy-fields.ts'
import { NAME } from '../identifiers.ts'

export const STORE_STATES = ['ACTIVE', 'ARCHIVED'] as const

/** Ours: the platform does not publish the form of its tenants' ids. */
const TenantId = z
  .string()
  .max(255)
  .regex(/^[\x21-\x7e]+$/, { error: 'must be the id of a tenant of the platform' })

/** An external key store: the platform calls it with a client certificate, to use keys that stay here. */
export const DatacustKeystore = extended(Resource, () => ({
  name: z.string(),
  cloud_name: z.literal(NAME),
  description: z.string().optional(),
  sap_tenant_id: z.string(),
  certificate: z.string().meta({ description: 'PEM of the client certificate that the platform presents' }),
  certificate_sha256: z.string().meta({ description: 'its fingerprint, in hex' }),
  certificate_expires_at: Time,
  keystore_url_hostname: z.string(),
  keystore_url: z.string().meta({ description: 'address to enter in a group of the platform' }),
  enable_success_audit_event: z.boolean(),
  state: z.enum(STORE_STATES),
  archived_at: Time.optional(),
  blocked: z.boolean(),
  key_count: z.int(),
  acls: z.array(Acl),
}))
export type DatacustKeystore = z.infer<typeof DatacustKeystore>

/** Ours: longer than any certificate. */
const Certificate = z
  .string()
  .min(1)
  .max(16_384)
  .meta({ description: 'exactly one certificate in PEM, which has not expired' })

export const CreateDatacustKeystore = strictObject(() => ({
  name: Name,
  sap_tenant_id: TenantId,
  certificate: Certificate,
  keystore_url_hostname: HostNameWithPort.meta({
    description: 'a host name with mutual TLS that leads to this deployment',
  }),
  description: FreeText.optional(),
  enable_success_audit_event: z.boolean().default(false),
}))
export type CreateDatacustKeystore = z.infer<typeof CreateDatacustKeystore>

export const UpdateDatacustKeystore = strictObject(() => ({
  name: Name.optional(),
  certificate: Certificate.optional(),
  keystore_url_hostname: HostNameWithPort.optional(),
  description: FreeText.nullable().optional(),
  enable_success_audit_event: z.boolean().optional(),
}))
export type UpdateDatacustKeystore = z.infer<typeof UpdateDatacustKeystore>

export const DatacustKeystoreQuery = listQuery(DatacustKeystore, () => ({
  ...commonContainerFilters,
  ...anyTexts('sap_tenant_id', 'keystore_url_hostname'),
  state: anyOf(STORE_STATES).optional(),
  blocked: flag().optional(),
}))
