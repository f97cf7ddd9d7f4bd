import * as z from 'zod'
import { defined } from '../../../base/fields.ts'
import { CloudCParam, CloudCVersionParam } from '../param.ts'
import { timeRead, UNKNOWN_TIME } from '../../../cloud/adapter/dates.ts'
import { formed } from './errors.ts'
import { lastPart } from './names.ts'
import type { CloudCKeyRead, CloudCVersionRead } from './types.ts'
import { object } from '../../../base/lazy-fields.ts'

/** Absent members get defaults: the cloud omits empty lists, maps and texts, zeros and `false`. */
export const Failure = object(() => ({
  error: z.object({ status: z.string(), message: z.string().default('') }),
}))

/** Names become keys of records: an item with another one cannot be read. */
const KeyName = z
  .string()
  .max(512)
  .regex(/\/cryptoKeys\/[A-Za-z0-9_-]{1,63}$/)
const VersionName = z
  .string()
  .max(512)
  .regex(/\/cryptoKeyVersions\/[1-9][0-9]{0,9}$/)

export const Version = object(() => ({
  name: VersionName,
  state: z.string(),
  algorithm: z.string(),
  protectionLevel: z.string(),
  createTime: z.string(),
  generateTime: z.string().optional(),
  importTime: z.string().optional(),
  importJob: z.string().optional(),
  importFailureReason: z.string().optional(),
  destroyTime: z.string().optional(),
  destroyEventTime: z.string().optional(),
  reimportEligible: z.boolean().default(false),
}))
export type Version = z.infer<typeof Version>

export const Key = object(() => ({
  name: KeyName,
  purpose: z.string(),
  createTime: z.string(),
  primary: Version.optional(),
  nextRotationTime: z.string().optional(),
  rotationPeriod: z.string().optional(),
  versionTemplate: z.object({ protectionLevel: z.string(), algorithm: z.string() }),
  labels: z.record(z.string(), z.string()).default({}),
  importOnly: z.boolean().default(false),
  destroyScheduledDuration: z.string().optional(),
}))
export type Key = z.infer<typeof Key>

const page = { nextPageToken: z.string().optional() }
/** An entry of a list of keys. Each is parsed separately, so that an unreadable key does not affect the others. */
const ListedKey = z.looseObject({ name: KeyName })
export type ListedKey = z.infer<typeof ListedKey>
export const KeyPage = object(() => ({
  cryptoKeys: z
    .array(z.unknown())
    .default([])
    .transform((all) => all.flatMap((one) => ListedKey.safeParse(one).data ?? [])),
  ...page,
}))
export const VersionPage = object(() => ({ cryptoKeyVersions: z.array(Version).default([]), ...page }))

export const Ring = object(() => ({ name: z.string(), createTime: z.string() }))
export const RingPage = object(() => ({ keyRings: z.array(Ring).default([]), ...page }))
export const LocationPage = object(() => ({
  locations: z.array(z.object({ locationId: z.string() })).default([]),
  ...page,
}))

export const ImportJob = object(() => ({
  name: z.string(),
  state: z.string(),
  publicKey: z.object({ pem: z.string() }).optional(),
}))
export type ImportJob = z.infer<typeof ImportJob>

export const PublicKey = object(() => ({
  name: z.string(),
  pem: z.string(),
  algorithm: z.string(),
  pemCrc32c: z.string().optional(),
}))

export const Policy = object(() => ({
  bindings: z
    .array(
      z.object({
        role: z.string(),
        members: z.array(z.string()).default([]),
        condition: z.record(z.string(), z.string()).optional(),
      }),
    )
    .default([]),
  etag: z.string().default(''),
}))

export const Project = object(() => ({
  /** `projects/<number>` */
  name: z.string(),
  projectId: z.string(),
  displayName: z.string().default(''),
  /** `organizations/<number>` or `folders/<number>`; a project may have none */
  parent: z.string().default(''),
}))
export const ProjectPage = object(() => ({ projects: z.array(Project).default([]), ...page }))
export const Folder = object(() => ({ parent: z.string().default('') }))
export const Organization = object(() => ({ name: z.string(), displayName: z.string().optional() }))
export const RolePage = object(() => ({
  roles: z
    .array(z.object({ name: z.string(), title: z.string().optional(), description: z.string().optional() }))
    .default([]),
  ...page,
}))

export const LogEntry = object(() => ({
  insertId: z.string(),
  timestamp: z.string(),
  logName: z.string(),
  protoPayload: z.object({
    methodName: z.string(),
    resourceName: z.string(),
    authenticationInfo: z.object({ principalEmail: z.string().optional() }).optional(),
    status: z.object({ code: z.number().optional() }).optional(),
  }),
  resource: z.object({ labels: z.record(z.string(), z.string()).default({}) }),
}))
export type LogEntry = z.infer<typeof LogEntry>
/** Entries of other kinds are skipped: a filter may let them through. */
export const LogPage = object(() => ({ entries: z.array(z.unknown()).default([]), ...page }))

/** The cloud's words that have a neutral form. */
const NEUTRAL = [['GOOGLE_SYMMETRIC_ENCRYPTION', 'SYMMETRIC_ENCRYPTION']] as const

/** An algorithm, converted from the cloud's spelling to the interface's, and back. */
export const neutralAlgorithm = (word: string): string => NEUTRAL.find(([theirs]) => theirs === word)?.[1] ?? word
export const cloudsAlgorithm = (word: string): string => NEUTRAL.find(([, ours]) => ours === word)?.[0] ?? word

/**
 * The interface's description of a version: fields in the order of its schema, times in UTC, to milliseconds: with the cloud's
 * nanoseconds, the same moment could be two texts.
 * @throws Refusal CLOUD_UNREADABLE
 */
export function versionRead(version: Version): CloudCVersionRead {
  const ref = lastPart(version.name)
  const param = formed(
    CloudCVersionParam,
    defined({
      name: version.name,
      version: ref,
      algorithm: neutralAlgorithm(version.algorithm),
      protection_level: version.protectionLevel,
      state: version.state,
      create_time: timeRead(version.createTime) ?? UNKNOWN_TIME,
      generate_time: timeRead(version.generateTime),
      import_time: timeRead(version.importTime),
      import_failure_reason: version.importFailureReason,
      destroy_time: timeRead(version.destroyTime),
      destroy_event_time: timeRead(version.destroyEventTime),
      reimport_eligible: version.reimportEligible,
    }),
  )
  return { ref, param }
}

/** As `versionRead`, for a key of a list. @throws Refusal CLOUD_UNREADABLE */
export const listedRead = (listed: ListedKey): CloudCKeyRead => keyRead(formed(Key, listed))

/** As `versionRead`, for a key. */
export function keyRead(key: Key): CloudCKeyRead {
  const ref = lastPart(key.name)
  const param = formed(
    CloudCParam,
    defined({
      name: key.name,
      key_name: ref,
      primary: key.primary?.name,
      purpose: key.purpose,
      create_time: timeRead(key.createTime) ?? UNKNOWN_TIME,
      next_rotation_time: timeRead(key.nextRotationTime),
      rotation_period: key.rotationPeriod,
      version_template: {
        protection_level: key.versionTemplate.protectionLevel,
        algorithm: neutralAlgorithm(key.versionTemplate.algorithm),
      },
      labels: Object.fromEntries(Object.entries(key.labels).sort(([a], [b]) => (a < b ? -1 : 1))),
      import_only: key.importOnly,
      destroy_scheduled_duration: key.destroyScheduledDuration,
    }),
  )
  return { ref, param, ...(key.primary !== undefined && { primary: versionRead(key.primary) }) }
}
