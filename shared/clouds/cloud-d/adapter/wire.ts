import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { timeRead, UNKNOWN_TIME } from '../../../cloud/adapter/dates.ts'
import { object } from '../../../base/lazy-fields.ts'
import { CloudDParam, CloudDVersionParam, DefinedTags, FreeformTags } from '../param.ts'
import type {
  CloudDAuditEntry,
  CloudDCompartment,
  CloudDKeyRead,
  CloudDVaultRead,
  CloudDVaultSummary,
  CloudDVersionRead,
} from './types.ts'

/** Limits of the cloud's texts: longer ones violate its documentation. */
const Id = z.string().min(1).max(255)
const Text = z.string().max(1_024)
const Word = z.string().max(64)
/** Normalized: equal times become equal texts. Every value is accepted, so that one bad time spoils no other field. */
const Time = z
  .string()
  .max(64)
  .transform((text) => timeRead(text) ?? UNKNOWN_TIME)

/** The cloud writes `null` for absent members. */
const optional = <S extends z.ZodType>(schema: S) => schema.nullish().transform((value) => value ?? undefined)
const OptionalTime = optional(z.string().max(64)).transform(timeRead)

const sorted = <V>(record: Readonly<Record<string, V>>): Record<string, V> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Ours: tags are sorted by key, so that equal tags have the same JSON. */
const tags = {
  definedTags: DefinedTags.nullish().transform((all) =>
    sorted(Object.fromEntries(Object.entries(all ?? {}).map(([namespace, own]) => [namespace, sorted(own)]))),
  ),
  freeformTags: FreeformTags.nullish().transform((all) => sorted(all ?? {})),
}

export const Failure = object(() => ({ code: z.string().default(''), message: z.string().default('') }))

export const Key = object(() => ({
  id: Id,
  compartmentId: Id,
  displayName: Text,
  currentKeyVersion: optional(Id),
  keyShape: z.object({ algorithm: Word, length: z.int().min(0).max(1_048_576), curveId: optional(Word) }),
  lifecycleState: Word,
  timeCreated: Time,
  timeOfDeletion: OptionalTime,
  protectionMode: optional(Word),
  isPrimary: optional(z.boolean()),
  ...tags,
}))
export type Key = z.infer<typeof Key>
/** An item of a list. Only its id is required, so that one unusual key does not make a whole page unreadable. */
export const KeySummary = object(() => ({ id: Id, freeformTags: tags.freeformTags.catch({}) }))

export const Version = object(() => ({
  id: Id,
  lifecycleState: optional(Word),
  origin: optional(Word),
  timeCreated: Time,
  timeOfDeletion: OptionalTime,
  publicKey: optional(z.string().max(16_384)),
}))
export type Version = z.infer<typeof Version>
export const WrappingKey = object(() => ({ publicKey: z.string().max(16_384) }))

const summary = {
  id: Id,
  displayName: Text,
  compartmentId: Id,
  lifecycleState: Word,
  managementEndpoint: Text,
  cryptoEndpoint: Text,
  vaultType: Word,
  timeCreated: Time,
  ...tags,
}
const VaultSummary = z.object(summary)
export const VaultSummaries = z.array(VaultSummary)
export const Vault = object(() => ({
  ...summary,
  timeOfDeletion: OptionalTime,
  wrappingkeyId: optional(Id),
  isPrimary: optional(z.boolean()),
  replicaDetails: optional(z.object({ replicationId: optional(Id) })),
  restoredFromVaultId: optional(Id),
}))

export const Tenancy = z.object({ id: Id, name: Text })
export const RegionSubscriptions = z.array(
  object(() => ({ regionName: Word, regionKey: Word, isHomeRegion: z.boolean(), status: Word })),
)
export const Compartment = object(() => ({
  id: Id,
  name: Text,
  compartmentId: optional(Id),
  lifecycleState: Word,
  timeCreated: OptionalTime,
}))
export const Compartments = z.array(Compartment)
export const TagNamespaces = z.array(z.object({ id: Id, name: Text }))
export const Tags = z.array(z.object({ name: Text }))
export const Buckets = z.array(z.object({ name: Text, namespace: Text }))
export const Namespace = z.string().min(1).max(255)

/** Records of other services may have other forms, and are ignored. */
export const AuditEvents = z.array(z.unknown())
export const AuditEvent = object(() => ({
  eventId: Id,
  eventType: Text,
  eventTime: Time,
  data: z.object({
    eventName: optional(Text),
    resourceName: optional(Text),
    resourceId: optional(Text),
    compartmentId: optional(Text),
    identity: optional(z.object({ principalName: optional(Text), principalId: optional(Text) })),
    response: optional(z.object({ status: optional(z.union([z.string().max(16), z.number()])) })),
  }),
}))

export function keyRead(key: Key, vaultName: string): CloudDKeyRead {
  const { algorithm, length, curveId } = key.keyShape
  const param = CloudDParam.parse(
    defined({
      compartment_id: key.compartmentId,
      current_key_version: key.currentKeyVersion ?? '',
      display_name: key.displayName,
      key_id: key.id,
      algorithm,
      length,
      curve_id: curveId,
      lifecycle_state: key.lifecycleState,
      time_created: key.timeCreated,
      time_of_deletion: key.timeOfDeletion,
      vault_name: vaultName,
      defined_tags: key.definedTags,
      freeform_tags: key.freeformTags,
      protection_mode: key.protectionMode ?? 'HSM',
      is_primary: key.isPrimary ?? true,
    }),
  )
  return { ref: key.id, param }
}

export function versionRead(version: Version): CloudDVersionRead {
  const param = CloudDVersionParam.parse(
    defined({
      version_id: version.id,
      lifecycle_state: version.lifecycleState ?? 'ENABLED',
      origin: version.origin ?? 'INTERNAL',
      time_created: version.timeCreated,
      time_of_deletion: version.timeOfDeletion,
    }),
  )
  return { ref: version.id, param }
}

export const summaryRead = (vault: z.infer<typeof VaultSummary>): CloudDVaultSummary => ({
  vault_id: vault.id,
  display_name: vault.displayName,
  compartment_id: vault.compartmentId,
  lifecycle_state: vault.lifecycleState,
  management_endpoint: vault.managementEndpoint,
  crypto_endpoint: vault.cryptoEndpoint,
  vault_type: vault.vaultType,
  time_created: vault.timeCreated,
  defined_tags: vault.definedTags,
  freeform_tags: vault.freeformTags,
})

export const vaultRead = (vault: z.infer<typeof Vault>): CloudDVaultRead => ({
  ...summaryRead(vault),
  is_primary: vault.isPrimary ?? true,
  ...defined({
    time_of_deletion: vault.timeOfDeletion,
    wrappingkey_id: vault.wrappingkeyId,
    replication_id: vault.replicaDetails?.replicationId,
    restored_from_vault_id: vault.restoredFromVaultId,
  }),
})

export const compartmentRead = (compartment: z.infer<typeof Compartment>): CloudDCompartment => ({
  compartment_id: compartment.id,
  name: compartment.name,
  lifecycle_state: compartment.lifecycleState,
  ...defined({ parent_id: compartment.compartmentId, time_created: compartment.timeCreated }),
})

/** The type contains the service; the cloud's documents differ in the case of its letters. */
const OF_KEYS = /^com\.oraclecloud\.keymanagementservice\.([a-z]+)/i

/** `undefined` for a record of another service. */
export function auditRead(event: unknown): CloudDAuditEntry | undefined {
  const parsed = AuditEvent.safeParse(event)
  if (!parsed.success) return undefined
  const { eventId, eventType, eventTime, data } = parsed.data
  const [, called] = OF_KEYS.exec(eventType) ?? []
  if (called === undefined) return undefined
  const status = Number(data.response?.status ?? 200)
  return {
    id: eventId,
    time: eventTime,
    activity: data.eventName ?? called,
    resource_id: data.resourceId ?? '',
    resource_name: data.resourceName ?? '',
    compartment_id: data.compartmentId ?? '',
    user_name: data.identity?.principalName ?? '',
    user_id: data.identity?.principalId ?? '',
    ...(status >= 400 && { failed_code: String(status) }),
  }
}
