import * as z from 'zod'
import { isObject } from '../../../base/json.ts'
import { DatacustParam } from '../param.ts'
import type { DatacustGroupRead, DatacustKeyRead, DatacustReferenceRead } from './types.ts'

/** Bounds of what the cloud answers: texts become parts of records. */
const Text = z.string().max(1_024)
const Id = z.string().min(1).max(255)
const Long = z.string().max(4_096)

export const Failure = z.object({ message: z.string().max(4_096).optional().catch(undefined) })
export const LoggedIn = z.object({ accessToken: z.string().min(1).max(16_384) })
export const Activated = z.object({ secret: z.string().min(1).max(1_024) })

export const Group = z.object({
  id: Id,
  name: Text.default(''),
  description: Long.nullish(),
  tenantId: Text.nullish(),
  applicationType: Text.nullish(),
  keystore: z.object({ provider: Text.nullish() }).nullish(),
})

export const groupRead = ({ id, name, keystore, ...group }: z.infer<typeof Group>): DatacustGroupRead => ({
  group_id: id,
  name: name || id,
  ...(group.description && { description: group.description }),
  ...(group.tenantId && { tenant: group.tenantId }),
  ...(group.applicationType && { application_type: group.applicationType }),
  keystore_provider: (keystore?.provider ?? '').toUpperCase(),
})

/** Ours: a description beyond this would not fit a record; a usual one has a kilobyte. */
const KEY_BYTES = 32_768

/** Members sorted by name at every level, so that equal descriptions are equal texts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]))
}

/** Members that may be `null` are absent in records. */
const withoutNulls = (value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : value

/** A key, with members that this service does not know. */
export const Key = z
  .preprocess(withoutNulls, DatacustParam)
  .refine((key) => Buffer.byteLength(JSON.stringify(key)) <= KEY_BYTES && Id.safeParse(key.id).success)

export const keyRead = (key: z.infer<typeof Key>): DatacustKeyRead => ({
  ref: key.id,
  param: DatacustParam.parse(sorted(key)),
})

export const Made = z.object({ id: Id })
export const NewVersion = z.object({ version: z.int().min(0) })
export const PublicKey = z.object({ publicKey: z.string().min(1).max(16_384) })

/** A version in the list of a key. */
export const Version = z.object({
  version: z.int().min(0),
  enabled: z.boolean().nullish(),
  imported: z.boolean().nullish(),
  operations: z.array(Text).max(100).nullish(),
  created: Text.nullish(),
})

export const Application = z.object({ id: Id, name: Text.default('') })
export const Backup = z.object({ backup: z.string().min(1).max(131_072) })

export const Reference = z.object({
  id: Id,
  name: Text,
  keyId: Id,
  allowUnderlyingKeyExchange: z.boolean().default(true),
})
export const referenceRead = (reference: z.infer<typeof Reference>): DatacustReferenceRead => ({
  ref: reference.id,
  param: {
    reference_id: reference.id,
    name: reference.name,
    datacust_key_id: reference.keyId,
    allow_underlying_key_exchange: reference.allowUnderlyingKeyExchange,
  },
})
