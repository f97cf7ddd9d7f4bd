import * as z from 'zod'
import { later } from '../../../base/time.ts'
import { entity } from '../../../store/entity.ts'
import { object } from '../../../base/lazy-fields.ts'

const ONLY = 'check'

/** Progress of the check of a domain's tree. A new walk starts after the previous one is complete. */
const TreeCheck = object(() => ({
  id: z.literal(ONLY),
  /**
   * checked positions in this walk, the compact range of their leaves (hex), and the number of heads compared with them
   */
  position: z.int(),
  frontier: z.array(z.string()),
  heads: z.int(),
  /** last record whose position was looked up in this walk; absent before the first, and after the last */
  after: z.string().optional(),
  rowsDone: z.boolean(),
  nextAt: z.string(),
  /** end of the last complete walk */
  completedAt: z.string().optional(),
}))
export type TreeCheck = z.infer<typeof TreeCheck>

export const TREE_CHECK = { due: 'check-audit-tree', spread: true } as const

/** Supported reads: the check of a domain; checks to continue. */
export const treeChecks = entity({
  name: 'audit-tree-check',
  schema: TreeCheck,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ nextAt }) => ({ what: TREE_CHECK.due, spread: TREE_CHECK.spread, at: nextAt }),
})

export const checkOf = (domain: string) => treeChecks.get(domain, ONLY)

/** Ours: interval of the check's runs, which keeps each run short. */
export const CHECK_EVERY_MS = 10 * 60_000

/** A check at the start of a walk. */
export const newCheck = (now: Date): TreeCheck => ({
  id: ONLY,
  position: 0,
  frontier: [],
  heads: 0,
  rowsDone: false,
  nextAt: later(now, CHECK_EVERY_MS).toISOString(),
})
