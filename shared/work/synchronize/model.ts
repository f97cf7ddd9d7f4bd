import * as z from 'zod'
import { NameOrId, Resource, Time, Uuid } from '../../http/common-fields.ts'
import { anyOf, anyText, listQuery } from '../../http/list-query.ts'
import { withRules, type Rule } from '../../http/rules.ts'

export const SYNCHRONIZATION_STATUSES = ['in_progress', 'completed', 'failed', 'aborted'] as const

/** A refresh of one or more containers. The container list stands under each cloud's own name (`kms`, `key_rings`). */
export const SynchronizationJob = Resource.extend({
  cloud_name: z.string(),
  synchronize_all: z.boolean(),
  overall_status: z.enum(SYNCHRONIZATION_STATUSES),
  detailed_status: z
    .record(z.string(), z.string())
    .meta({ description: 'what became of each container, or account/region of it' }),
  abort: z.boolean(),
  completed_at: Time.optional(),
  added: z.int(),
  updated: z.int(),
  gone: z.int(),
})
export type SynchronizationJob = z.infer<typeof SynchronizationJob>

const named = z.array(z.string()).meta({ description: 'names of the containers' })

/** Cloud-a: regions of accounts. */
export const CloudASynchronizationJob = SynchronizationJob.extend({
  kms: named,
  regions: z.array(z.string()).optional(),
})
/** Cloud-c: key rings. */
export const CloudCSynchronizationJob = SynchronizationJob.extend({ key_rings: named })

const MOST_CONTAINERS = 100
const Containers = z.array(NameOrId).min(1).max(MOST_CONTAINERS)

const eitherAll = (list: string): Rule => ({
  message: `exactly one of ${list} and synchronize_all must be given`,
  field: list,
  broken: ({ [list]: containers, synchronize_all }) => (containers !== undefined) === (synchronize_all === true),
})

export const StartCloudASynchronization = withRules(
  z.strictObject({
    kms: Containers.optional(),
    regions: z.array(z.string().min(1).max(32)).min(1).max(64).optional(),
    synchronize_all: z.boolean().optional(),
  }),
  eitherAll('kms'),
)
export const StartCloudCSynchronization = withRules(
  z.strictObject({ key_rings: Containers.optional(), synchronize_all: z.boolean().optional() }),
  eitherAll('key_rings'),
)

export const SynchronizationJobPath = z.strictObject({ id: Uuid })

const SORTS = ['createdAt', 'overall_status', 'completed_at']
const filters = { id: anyText().optional(), overall_status: anyOf(SYNCHRONIZATION_STATUSES).optional() }
export const CloudASynchronizationQuery = listQuery(SORTS, { ...filters, kms: anyText().optional() })
export const CloudCSynchronizationQuery = listQuery(SORTS, { ...filters, key_rings: anyText().optional() })
/** What lists of every cloud are asked. */
export type SynchronizationQuery = Omit<z.infer<typeof CloudASynchronizationQuery>, 'kms'>
