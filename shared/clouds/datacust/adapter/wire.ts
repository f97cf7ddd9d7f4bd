import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { isObject } from '../../../base/json.ts'
import { timeRead } from '../../../cloud/adapter/dates.ts'
import { object } from '../../../base/lazy-fields.ts'
import { DatacustParam, KeystoreContext, Meta } from '../param.ts'
import type { DatacustGroupRead, DatacustKeyRead, DatacustReferenceRead } from './types.ts'

/** Limits of the cloud's answers: texts become parts of records. */
const Text = z.string().max(1_024)
const Id = z.string().min(1).max(255)
const Long = z.string().max(4_096)

export const Failure = object(() => ({ message: z.string().max(4_096).optional().catch(undefined) }))
export const LoggedIn = object(() => ({ accessToken: z.string().min(1).max(16_384) }))
export const Activated = object(() => ({ secret: z.string().min(1).max(1_024) }))

/** A group, whose texts are absent if they have an unexpected form: keys need only its id and its keystore. */
export const Group = object(() => ({
  id: Id,
  name: Text.default('').catch(''),
  description: Long.nullish().catch(undefined),
  tenantId: Text.nullish().catch(undefined),
  applicationType: Text.nullish().catch(undefined),
  keystore: z.object({ provider: Text.nullish() }).nullish(),
}))

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

/** Known members that are `null` are absent in records; unknown ones stay as they are. */
const withoutNulls = (value: unknown, known: object): unknown =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).filter(([name, member]) => member !== null || !(name in known)))
    : value

function described(value: unknown): unknown {
  const key = withoutNulls(value, DatacustParam.shape)
  if (!isObject(key)) return key
  const { meta, keystoreContext } = key
  const parts = {
    meta: withoutNulls(meta, Meta.shape),
    keystoreContext: withoutNulls(keystoreContext, KeystoreContext.shape),
  }
  return { ...key, ...defined(parts) }
}

/** A key, with members that this service does not know. */
export const Key = z
  .preprocess(described, DatacustParam)
  .refine((key) => Buffer.byteLength(JSON.stringify(key)) <= KEY_BYTES && Id.safeParse(key.id).success)

/** The members by which an item with an unexpected form is known. */
export const Identified = object(() => ({ id: Id, name: Text.optional().catch(undefined) }))

/** A time of the cloud, which writes them in UTC without a zone. */
export const utcRead = (text: string | null | undefined): string | undefined =>
  timeRead(text === null || text === undefined || /(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? (text ?? undefined) : `${text}Z`)

const withTimeRead = ({ created, ...meta }: z.infer<typeof Meta>): object => ({
  ...meta,
  ...defined({ created: utcRead(created) }),
})

export const keyRead = (key: z.infer<typeof Key>): DatacustKeyRead => ({
  ref: key.id,
  param: DatacustParam.parse(sorted({ ...key, ...(key.meta && { meta: withTimeRead(key.meta) }) })),
})

export const Made = z.object({ id: Id })
export const NewVersion = object(() => ({ version: z.int().min(0) }))
export const PublicKey = object(() => ({ publicKey: z.string().min(1).max(16_384) }))

/** A version in the list of a key. */
export const Version = object(() => ({
  version: z.int().min(0),
  enabled: z.boolean().nullish(),
  imported: z.boolean().nullish(),
  operations: z.array(Text).max(100).nullish(),
  created: Text.nullish(),
}))

export const Application = object(() => ({ id: Id, name: Text.default('').catch('') }))
export const Backup = object(() => ({ backup: z.string().min(1).max(131_072) }))

export const Reference = object(() => ({
  id: Id,
  name: Text,
  keyId: Id,
  allowUnderlyingKeyExchange: z.boolean().default(true),
}))
export const referenceRead = (reference: z.infer<typeof Reference>): DatacustReferenceRead => ({
  ref: reference.id,
  param: {
    reference_id: reference.id,
    name: reference.name,
    datacust_key_id: reference.keyId,
    allow_underlying_key_exchange: reference.allowUnderlyingKeyExchange,
  },
})
