import * as z from 'zod'
import { later } from '../../../base/time.ts'
import { entity } from '../../../store/entity.ts'

const ONLY = 'check'

/** How far the check of a domain's tree is. It starts again when it is through. */
const TreeCheck = z.object({
  id: z.literal(ONLY),
  /** positions checked in this walk, the compact range of their leaves (hex), and the heads they were held against */
  position: z.int(),
  frontier: z.array(z.string()),
  heads: z.int(),
  /** last record whose place was looked up in this walk; absent before the first, and when all were */
  after: z.string().optional(),
  rowsDone: z.boolean(),
  nextAt: z.string(),
  /** when all was checked last */
  completedAt: z.string().optional(),
})
export type TreeCheck = z.infer<typeof TreeCheck>

export const TREE_CHECK = { due: 'check-audit-tree', spread: true } as const

/** Reads served: the check of a domain; checks to go on with. */
export const treeChecks = entity({
  name: 'audit-tree-check',
  schema: TreeCheck,
  id: ({ id }) => id,
  sets: () => [],
  row: () => ({}),
  due: ({ nextAt }) => ({ what: TREE_CHECK.due, spread: TREE_CHECK.spread, at: nextAt }),
})

export const checkOf = (domain: string) => treeChecks.get(domain, ONLY)

/** Ours: runs of the check, so often that each does little. */
export const CHECK_EVERY_MS = 10 * 60_000

/** The check of a new walk. */
export const newCheck = (now: Date): TreeCheck => ({
  id: ONLY,
  position: 0,
  frontier: [],
  heads: 0,
  rowsDone: false,
  nextAt: later(now, CHECK_EVERY_MS).toISOString(),
})
