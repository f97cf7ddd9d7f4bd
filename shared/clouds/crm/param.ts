import * as z from 'zod'
import { object } from '../../base/lazy-fields.ts'

/** Editions of the cloud. */
export const CRM_NAMES = ['production', 'sandbox'] as const
export type CrmName = (typeof CRM_NAMES)[number]

/** Types of data that tenant secrets protect. The cloud may list others, which are kept. */
export const CRM_KEY_TYPES = ['Data', 'EventBus', 'SearchIndex', 'DeterministicData', 'Analytics'] as const
export type CrmKeyType = (typeof CRM_KEY_TYPES)[number]

/** Whether the material is an input of a derivation, or the data key itself. */
export const KEY_DERIVATION_MODES = ['PBKDF2', 'NONE'] as const
export type KeyDerivationMode = (typeof KEY_DERIVATION_MODES)[number]

/** Hashes of OAEP with which material is wrapped for the cloud. */
export const WRAP_HASHES = ['SHA512', 'SHA1'] as const
export type WrapHash = (typeof WRAP_HASHES)[number]

/** The cloud's description of a tenant secret. Ours: statuses and sources are in capitals, whatever the cloud writes. */
export const CrmParam = object(() => ({
  crm_id: z.string().meta({ description: "the cloud's id" }),
  created_by_id: z.string().optional(),
  created_date: z.string().optional(),
  last_modified_date: z.string().optional(),
  version: z.int(),
  status: z.string().meta({ description: 'ACTIVE, ARCHIVED or DESTROYED' }),
  type: z.string(),
  source: z.string().meta({ description: 'HSM: made by the cloud; UPLOADED; REMOTE: cache-only' }),
  key_derivation_mode: z.string().optional(),
  description: z.string().optional(),
  named_credential_id: z.string().optional(),
  remote_key_certificate: z.string().optional().meta({ description: 'unique name of the certificate' }),
  RemoteKeyIdentifier: z.string().optional().meta({ description: 'kid of a cache-only key' }),
}))
export type CrmParam = z.infer<typeof CrmParam>

const DATABASE: ReadonlySet<string> = new Set(['database', 'salesforcedatabase'])
/** Whether secrets of the type belong to the cloud's databases: the cloud does not let them be destroyed or exported. */
export const isDatabase = (type: string): boolean => DATABASE.has(type.toLowerCase())
